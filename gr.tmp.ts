import { doors } from './test/fuzz/doors';
const t0=process.cpuUsage();
for (const d of doors) { const a=process.cpuUsage(); const w=Date.now(); const f=d.faults(); const c=process.cpuUsage(a); console.log(Math.round((c.user+c.system)/1000)+' ms cpu', Date.now()-w+' wall', d.name, f.join('; ').slice(0,400)); }
const c=process.cpuUsage(t0); console.log('total', (c.user+c.system)/1e6);
