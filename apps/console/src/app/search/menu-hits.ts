import type { SearchHit } from './record-finders.ts'
import { type MenuEntry, listMenuPages } from '#app/menu-tree.ts'

const MAX_HITS = 8

/** Returns menus whose title, title path or URL contains every word; titles with the word as prefix come first. */
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
    .filter(({ title, detail, to }) => words.every((word) => `${detail} ${title} ${to}`.toLowerCase().includes(word)))
    .sort((a, b) => begins(a.title) - begins(b.title))
    .slice(0, MAX_HITS)
}
