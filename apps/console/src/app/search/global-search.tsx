import { Suspense, useEffect, useState } from 'react'
import { lazyAntd } from '#kit/antd/lazy-antd.tsx'
import { useStore } from '#core/events/store.ts'
import { searchShown } from './search-shown.ts'
import type { MenuEntry } from '#app/menu-tree.ts'

const SearchPalette = lazyAntd(() => import('./search-palette.tsx'), 'default')

const close = () => searchShown.set(false)

/** Opens the search by Ctrl/⌘ K on every page; its code loads on first use. */
export function GlobalSearch({ entries }: { entries: readonly MenuEntry[] }) {
  const open = useStore(searchShown)
  const [used, setUsed] = useState(false)
  if (open && !used) setUsed(true)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      searchShown.set(true)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return used ? (
    <Suspense>
      <SearchPalette entries={entries} open={open} onClose={close} />
    </Suspense>
  ) : null
}
