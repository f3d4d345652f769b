import { Suspense, useEffect, useState } from 'react'
import { lazyAntd } from '#kit/antd/lazy-antd.tsx'
import type { MenuEntry } from '#app/menu-tree.ts'

const SearchPalette = lazyAntd(() => import('./search-palette.tsx'), 'default')

interface Props {
  readonly entries: readonly MenuEntry[]
  readonly open: boolean
  readonly onOpen: () => void
  readonly onClose: () => void
}

/** Opens the search by Ctrl/⌘ K on every page; its code loads on first use. */
export function GlobalSearch({ entries, open, onOpen, onClose }: Props) {
  const [used, setUsed] = useState(false)
  if (open && !used) setUsed(true)
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
      event.preventDefault()
      onOpen()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [onOpen])
  return used ? (
    <Suspense>
      <SearchPalette entries={entries} open={open} onClose={onClose} />
    </Suspense>
  ) : null
}
