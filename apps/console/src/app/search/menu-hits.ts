import type { SearchHit } from './finder.ts'
import { type MenuEntry, listMenuPages } from '#app/menu-tree.ts'

const MAX_HITS = 8
/** Synonyms of the title of a page, by URL of the page. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  '/AfterService/Questions': '工单 报修',
  '/AfterService/PendingList': '工单 报修',
}

/** Returns whether a Chinese text has this pinyin: `shouhou` or `sh` for 售后. */
export type MatchPinyin = (text: string, word: string) => boolean

/** Returns the words of a searched text. */
export const wordsOf = (text: string) => text.trim().toLowerCase().split(/\s+/).filter(Boolean)

/** Returns whether a title, or further text about the same thing, contains a word. Pinyin is compared with the title. */
export const matchesWord = (title: string, more: string, word: string, matchPinyin: MatchPinyin) =>
  `${title} ${more}`.toLowerCase().includes(word) || (/^[a-z]{2,}$/.test(word) && matchPinyin(title, word))

/**
 * Returns the menus whose title, title path, URL or synonyms contain every searched word. Titles that begin with the
 * text come first.
 */
export function findMenuHits(
  entries: readonly MenuEntry[],
  text: string,
  matchPinyin: MatchPinyin = () => false,
): readonly SearchHit[] {
  const words = wordsOf(text)
  if (words.length === 0) return []
  const begins = (title: string) => (title.toLowerCase().startsWith(words[0] ?? '') ? 0 : 1)
  return listMenuPages(entries)
    .map(({ entry, above }) => ({
      key: `menu:${entry.url}`,
      title: entry.name,
      detail: above.map(({ name }) => name).join(' / '),
      to: entry.url,
      icon: entry.icon,
    }))
    .filter(({ title, detail, to }) => {
      const more = `${detail} ${to} ${OTHER_WORDS[to] ?? ''}`
      return words.every((word) => matchesWord(title, more, word, matchPinyin))
    })
    .sort((a, b) => begins(a.title) - begins(b.title))
    .slice(0, MAX_HITS)
}
