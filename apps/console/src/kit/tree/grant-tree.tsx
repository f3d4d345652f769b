import type { PermNode } from '@oms/contract/permissions/permission-tree.ts'
import { useMemo } from 'react'
import { buildGrantItems, pickLeafIds, applyGrantClick, addBranches } from './grant-rules.ts'
import { PermissionTree } from './permission-tree.tsx'

interface GrantTreeProps {
  menus: readonly PermNode[]
  /** Ids of the granted pages and buttons. */
  value?: readonly number[]
  onChange?: (menuIds: number[]) => void
  height?: number
  label?: string
}

/** Selects the pages and buttons of a role or scene. */
export function GrantTree({ menus, value = [], onChange, ...rest }: GrantTreeProps) {
  const items = useMemo(() => buildGrantItems(menus), [menus])
  const held = useMemo(() => addBranches(items, new Set(value)), [items, value])
  return (
    <PermissionTree
      {...rest}
      tree={items}
      value={held}
      isCounted={(key) => pickLeafIds([key]).length > 0}
      onChange={(keys) => onChange?.(applyGrantClick(menus, new Set(value), pickLeafIds(keys)))}
    />
  )
}
