import type { SearchHit } from './finder.ts'
import { type MenuEntry, listMenuPages } from '#app/menu-tree.ts'

const MAX_HITS = 8
/** Synonyms of the title of a page, by URL of the page. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  '/AfterService/Questions': '工单 报修',
  '/AfterService/PendingList': '工单 报修',
}

/**
 * Returns the menus whose title, title path, URL or synonyms contain every searched word. Titles that begin with the
 * text come first.
 */
export function findMenuHits(entries: readonly MenuEntry[], text: string): readonly SearchHit[] {
  const words = text.trim().toLowerCase().split(/\s+/)
  const begins = (title: string) => (title.toLowerCase().startsWith(words[0] ?? '') ? 0 : 1)
  return listMenuPages(entries)
    .map(({ entry, above }) => ({
      key: `menu:${entry.url}`,
      title: entry.name,
      detail: above.length ? above.map(({ name }) => name).join(' / ') : '菜单',
      to: entry.url,
    }))
    .filter(({ title, detail, to }) => {
      const known = `${detail} ${title} ${to} ${OTHER_WORDS[to] ?? ''}`.toLowerCase()
      return words.every((word) => known.includes(word))
    })
    .sort((a, b) => begins(a.title) - begins(b.title))
    .slice(0, MAX_HITS)
}
