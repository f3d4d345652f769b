import { useState } from 'react'

/** Returns the expanded rows. While a filter is active every row is expanded, so that deep matches are visible. */
export function useExpandedMenus(branches: readonly number[], filtered: boolean) {
  const [open, setOpen] = useState<readonly number[]>([])
  const keys = filtered ? branches : open
  return {
    expandable: {
      expandedRowKeys: [...keys],
      onExpandedRowsChange: (next: readonly React.Key[]) => setOpen(next.map(Number)),
    },
    all: keys.length > 0,
    toggleAll: () => setOpen(keys.length > 0 ? [] : branches),
  }
}
export type ExpandedMenus = ReturnType<typeof useExpandedMenus>
