import type { PermNode } from '@oms/contract/permission-tree.ts'
import { useMemo } from 'react'
import { buildGrantItems, filterLeafIds, applyGrantClick, includeAncestorKeys } from './grant-rules.ts'
import { PermissionTree } from './permission-tree.tsx'
import type { Key } from './tree-item.ts'

interface GrantTreeProps {
  menus: readonly PermNode[]
  /** Ids of the granted pages and buttons. */
  value?: readonly number[]
  onChange?: (menuIds: number[]) => void
  height?: number
  label?: string
}

const isPermission = (key: Key) => filterLeafIds([key]).length > 0

/** Selects the pages and buttons of a role or scene. */
export function GrantTree({ menus, value = [], onChange, ...rest }: GrantTreeProps) {
  const items = useMemo(() => buildGrantItems(menus), [menus])
  const held = useMemo(() => includeAncestorKeys(items, new Set(value)), [items, value])
  return (
    <PermissionTree
      {...rest}
      tree={items}
      value={held}
      isPermission={isPermission}
      onChange={(keys) => onChange?.(applyGrantClick(menus, new Set(value), filterLeafIds(keys)))}
    />
  )
}
