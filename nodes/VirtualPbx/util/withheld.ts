/** Words by which switches and providers show that a caller withholds the number, without accents. */
const WORDS = new Set(
	`anonym anonyme anonymer anonymous anonymity asserted blocked confidential hidden no none null private restricted
	secret suppressed unavail unavailable undefined undisclosed unidentified unknown withheld
	anonimo anonima bloqueado confidencial desconocido desconhecido identificado identificar indisponivel nao oculta oculto
	privada privado restringida restringido restrito sem sin
	bloccato indisponibile nascosto non oscurato privato riservato sconosciuta sconosciuto senza
	ausgeblendet gesperrt kein keine nicht privat private privater unbekannt unbekannte unbekannter unterdruckt unterdruckte
	unterdrueckt unterdrueckte verborgen verborgene verdeckt versteckt
	bloque cache cachee confidentiel identifie inconnu inconnue indisponible masque masquee prive privee restreint sans
	anonim bilinmeyen bilinmiyor engelli engellenmis gizli kullanilamiyor ozel sakli
	anonimowy bez brak niedostepny nieznany nieznana prywatny ukryty zablokowany zastrzezony
	afgeschermd anoniem geheim onbekend verborgen dold dolt hemligt okand hemmelig hemmeligt skjult ukendt ukjent
	анонимный анонимно аноним без закрыт закрытый заблокирован запрещен засекречен засекреченный не недоступен
	недоступно неизвестен неизвестно неизвестный неопределен неопределенный неопределился определен определился отсутствует
	приватный секретный скрыт скрытый скрыто скрытая частный анонімний анонім невідомий прихований приховано
	匿名 未知 隐藏 非通知`
		.split(/\s+/)
		.map(plain),
);

/** Words that can be used with those. */
const BESIDE = new Set(
	`available call caller callerid calling cid disponible disponibile disponivel id line name num number party the user
	anruf anrufer nummer nr rufnummer verfugbar verfugbare verfuegbar
	appel appelant numero
	identifiant llamada llamante chiamata chiamante chamada
	numara numarasi arama arayan numer rozmowca telefon numer nummer opkald
	абонент вызов звонок имя номер номера номером`
		.split(/\s+/)
		.map(plain),
);

/** The words on a phone's keypad: anonymous, blocked, private, restricted, unavailable, unknown. */
const KEYPAD = new Set(['266696687', '2562533', '7748283', '7378742833', '86282452253', '8656696']);

/** Returns whether a text says, in the words of switches and of several languages, that the number is withheld. */
export function isWithheldWord(text: string): boolean {
	if (text.length > 60 || !/\p{L}/u.test(text)) return false;
	const words = plain(text)
		.split(/[^\p{L}]+/u)
		.filter((word) => word !== '');
	const own = words.filter((word) => !BESIDE.has(word));
	return own.length > 0 && own.every((word) => WORDS.has(word));
}

/** Without accents, in lower case. */
function plain(text: string): string {
	return text
		.normalize('NFKD')
		.replace(/\p{M}/gu, '')
		.toLowerCase()
		.replace(/ı/g, 'i')
		.replace(/ł/g, 'l')
		.replace(/\d/g, ' ');
}

/** Returns whether a caller's number is none: zeros, such as Kazoo's `0000000000`, or a word on the keypad. */
export function isWithheldNumber(digits: string): boolean {
	return /^\+?0+$/.test(digits) || KEYPAD.has(digits.replace(/^\+/, ''));
}
