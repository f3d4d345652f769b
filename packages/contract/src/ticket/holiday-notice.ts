import { type DateGroup, isExistingDay, readDateGroups } from './holiday-dates.ts'
import type { HolidayYear } from './holidays.ts'

/** A sentence of a notice that was read as days. */
export interface ReadSentence extends HolidayYear {
  readonly text: string
}
/** A sentence that mentions days but was not read, and what is wrong. */
export interface UnreadSentence {
  readonly text: string
  readonly reason: string
}
export interface HolidayNotice extends HolidayYear {
  /** Year in the heading of the notice. */
  readonly headingYear: number | undefined
  readonly read: readonly ReadSentence[]
  readonly unread: readonly UnreadSentence[]
  /** Statements of the notice that contradict its dates: numbers of days, weekdays. */
  readonly doubts: readonly UnreadSentence[]
  /** Days that are both holiday and working day. */
  readonly conflicts: readonly string[]
  /** Days of the year before or after. A holiday at New Year may begin in December. */
  readonly outside: readonly string[]
}

const IN_BRACKETS = /\([^()]*\)|〔[^〔〕]*〕|\[[^[\]]*\]/g
const HEADING = /(\d{4})年[^\d]{0,12}(?:节假日|放假|假期)/
/** Sentences around the arrangement that mention holidays without a date. */
const INTRODUCTION = /(?:通知|安排)如下|(?:通知|安排):?$/
const MENTIONS_DAYS = /\d月|月[^,]{0,4}[日号]|\d[./-]\d|放假|上班|调休|补班|连休|工作日/
const KINDS = /不放假|不上班|不休息|调休上|补班|上班|工作日|加班|放假|休息|休假|连休|班$/g
const NUMBERING = /^(?:\d{1,2}[.、)]|\(\d{1,2}\)|[一二三四五六七八九十]{1,3}[、.])/
/** Numbers that are no dates: years and numbers of days. */
const OTHER_NUMBERS = /\d{4}年度?|共?\d{1,2}个?天/g
const STATED_COUNT = /共(\d{1,2})天|放假(\d{1,2})天/
/** The date of the document, alone or after the name of the office that signs it. */
const SIGNATURE =
  /^([^\d,:、]{2,20}(?:办公厅|办公室|国务院|人民政府|部|局|委员会))?(\d{4}|[〇○零一二三四五六七八九]{4})年[\d一二三四五六七八九十]{1,3}月[\d一二三四五六七八九十]{1,3}日$/
const OFFICE = /^[^\d,:、]{0,20}(?:办公厅|办公室|国务院|人民政府|部|局|委员会)$/

type Kind = 'holidays' | 'workdays'

/** Converts full-width characters and removes blanks; blanks between two dates become separators. */
const normalize = (text: string) =>
  text
    .normalize('NFKC')
    .replaceAll(/([\d日号])\s+(?=\d)/g, '$1、')
    .replaceAll(/\s/g, '')

/** Returns the year in the heading of a notice, such as `关于2026年部分节假日安排的通知`. */
export function findHeadingYear(text: string): number | undefined {
  for (const line of text.split('\n')) {
    const [, year] = HEADING.exec(normalize(line)) ?? []
    if (year) return Number(year)
  }
  return undefined
}

/**
 * Reads a year's arrangement: the State Council's notice as published, or lines such as `2027-01-01 至 2027-01-03 放假`
 * and `2027-01-04 上班`. Dates without a year belong to `year`. A sentence is read whole or not at all.
 */
export function readHolidayNotice(text: string, year: number): HolidayNotice {
  const headingYear = findHeadingYear(text)
  const sentences = text
    .split(/[。；;\n]/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '')
  const read: ReadSentence[] = []
  const unread: UnreadSentence[] = []
  const doubts: UnreadSentence[] = []
  for (const [at, sentence] of sentences.entries()) {
    if (isSignature(sentences, at, year, read.length > 0)) continue
    const isDoubtful = headingYear !== undefined && SIGNATURE.test(normalize(sentence))
    const result = isDoubtful ? '像是发文日期，没有载入' : readSentence(sentence, year)
    if (typeof result === 'string') unread.push({ text: sentence, reason: result })
    else if (result) {
      read.push({ text: sentence, ...result })
      doubts.push(...findDoubts(sentence, result, year).map((reason) => ({ text: sentence, reason })))
    }
  }
  const days = { holidays: collect(read, 'holidays'), workdays: collect(read, 'workdays') }
  const all = [...days.holidays, ...days.workdays]
  return {
    ...days,
    headingYear,
    read,
    unread,
    doubts,
    conflicts: days.holidays.filter((day) => days.workdays.includes(day)),
    outside: [...new Set(all.filter((day) => !day.startsWith(`${year}-`)))].sort(),
  }
}

/**
 * True for the date of the document: after the name of an office, or a date of another year below the arrangement. The
 * last days of December stay, because a holiday at New Year may begin on them.
 */
function isSignature(sentences: readonly string[], at: number, year: number, isBelow: boolean) {
  const [text, office, signed] = SIGNATURE.exec(normalize(sentences[at] ?? '')) ?? []
  if (text === undefined || signed === undefined) return false
  if (office !== undefined || OFFICE.test(normalize(sentences[at - 1] ?? ''))) return true
  const isLast = sentences.slice(at + 1).every((sentence) => !MENTIONS_DAYS.test(normalize(sentence)))
  return isBelow && isLast && Number(signed) !== year && !/(?:12|十二)月(?:2\d|3\d|二十|三十)/.test(text)
}

const collect = (read: readonly ReadSentence[], kind: Kind) =>
  [...new Set(read.flatMap((sentence) => sentence[kind]))].sort()

/** Returns the days of a sentence, why the sentence was not understood, or undefined when it mentions no days. */
function readSentence(sentence: string, year: number): HolidayYear | string | undefined {
  const text = normalize(sentence).replace(NUMBERING, '').replaceAll(IN_BRACKETS, '')
  const groups = readDateGroups(text, year)
  if (groups.length === 0) {
    const isOther = !MENTIONS_DAYS.test(text) || INTRODUCTION.test(text)
    return isOther ? undefined : '没有识别到日期，请写成「1月1日至3日放假」的样子'
  }
  const days = { holidays: [] as string[], workdays: [] as string[] }
  const kinds = kindsOf(text, groups)
  // A New Year holiday may begin in December; a date without a word may be the date of a document.
  const distance = text.match(KINDS) ? 1 : 0
  for (const [at, group] of groups.entries()) {
    const kind = kinds[at]
    if (group.problem) return group.problem
    if (!kind) return '没有写明放假还是上班，请在日期后写「放假」或「上班」'
    const far = group.days.find((day) => Math.abs(Number(day.slice(0, 4)) - year) > distance)
    if (far) return `日期 ${far} 不在 ${year} 年，请核对年份`
    days[kind].push(...group.days)
  }
  return hasOtherNumbers(text, groups) ? '有不能识别的数字，请只保留日期和「放假」或「上班」' : days
}

/** Returns what each group of dates is. The word after the dates decides; otherwise the word before the first dates. */
function kindsOf(text: string, groups: readonly DateGroup[]): (Kind | undefined)[] {
  const head = text.slice(0, groups[0]?.begin)
  const tails = groups.map(({ end }, at) => text.slice(end, groups[at + 1]?.begin))
  const heading = kindIn(head, 'last')
  const kinds: (Kind | undefined)[] = []
  for (let at = groups.length - 1; at >= 0; at -= 1) {
    const tail = tails[at] ?? ''
    const isSeparator = /^[、,和及与]*$/.test(tail)
    kinds[at] = kindIn(tail, 'first') ?? (isSeparator && at < groups.length - 1 ? kinds[at + 1] : heading)
  }
  const isPlain = !kinds.some(Boolean) && tails.every((tail) => /^[、,]?$/.test(tail)) && isFestival(head)
  return isPlain ? groups.map(() => 'holidays' as const) : kinds
}

/** Dates without a word are holidays, alone or after the name of a holiday. */
const isFestival = (head: string) => head === '' || (/^[^\d,]{1,12}[:、]?$/.test(head) && /[:节旦]$/.test(head))

function kindIn(text: string, which: 'first' | 'last'): Kind | undefined {
  const word = text.match(KINDS)?.at(which === 'first' ? 0 : -1)
  if (!word || word.startsWith('不')) return undefined
  return /班|上|工作日/.test(word) ? 'workdays' : 'holidays'
}

function hasOtherNumbers(text: string, groups: readonly DateGroup[]) {
  const edges = [...groups, { begin: text.length, end: text.length }]
  const others = edges.map(({ begin }, at) => text.slice(edges[at - 1]?.end ?? 0, begin)).join('|')
  return /\d/.test(others.replaceAll(OTHER_NUMBERS, ''))
}

const WEEKDAYS = '日一二三四五六'
const DATE_WITH_WEEKDAY =
  /(?:(\d{4})年)?(\d{1,2})月(\d{1,2})[日号]?\((?:[^()]{0,20}[,、])?(?:周|星期|礼拜)([一二三四五六日天])\)/g

function findDoubts(sentence: string, { holidays }: HolidayYear, year: number): string[] {
  const text = normalize(sentence)
  const doubts: string[] = []
  const [, total, off] = STATED_COUNT.exec(text) ?? []
  const stated = Number(total ?? off)
  // Weekend days next to a holiday (与周末连休) count, but are not named.
  if (stated > 0 && holidays.length > 0 && stated !== holidays.length && !text.includes('周末'))
    doubts.push(`写明放假 ${stated} 天，识别到 ${holidays.length} 天`)
  for (const [, y = year, month = '', date = '', named = ''] of text.matchAll(DATE_WITH_WEEKDAY)) {
    const day = `${y}-${month.padStart(2, '0')}-${date.padStart(2, '0')}`
    if (!isExistingDay(day)) continue
    const actual = WEEKDAYS[new Date(`${day}T00:00:00Z`).getUTCDay()] ?? ''
    if (actual !== named.replace('天', '日')) doubts.push(`写明 ${day} 是周${named}，实际是周${actual}，请核对年份`)
  }
  return doubts
}

const sorted = (days: Iterable<string>) => [...new Set(days)].sort()

/**
 * Replaces the days of `year` by those of a notice. Days of the notice in other years are added; the other days of
 * those years stay.
 */
export function applyHolidayNotice<C extends HolidayYear>(calendar: C, notice: HolidayYear, year: number): C {
  const merge = (kept: readonly string[], added: readonly string[], opposite: readonly string[]) =>
    sorted([...kept.filter((day) => !day.startsWith(`${year}-`) && !opposite.includes(day)), ...added])
  return {
    ...calendar,
    holidays: merge(calendar.holidays, notice.holidays, notice.workdays),
    workdays: merge(calendar.workdays, notice.workdays, notice.holidays),
  }
}

/** Returns the days that two calendars differ in. */
export function compareHolidays(before: HolidayYear, after: HolidayYear) {
  const without = (days: readonly string[], others: readonly string[]) => days.filter((day) => !others.includes(day))
  return {
    added: {
      holidays: without(after.holidays, before.holidays),
      workdays: without(after.workdays, before.workdays),
    },
    removed: {
      holidays: without(before.holidays, after.holidays),
      workdays: without(before.workdays, after.workdays),
    },
  }
}
