import type { PermNode } from '@oms/contract/permission.ts'
import { useMemo } from 'react'
import { grantItems, leavesOf, settled, withBranches } from './grant-rules.ts'
import { PermissionTree } from './permission-tree.tsx'

interface GrantTreeProps {
  menus: readonly PermNode[]
  /** Ids of the pages and buttons given. */
  value?: readonly number[]
  onChange?: (menuIds: number[]) => void
  height?: number
  label?: string
}

/** Chooses the pages and buttons a role or a scene holds. */
export function GrantTree({ menus, value = [], onChange, ...rest }: GrantTreeProps) {
  const items = useMemo(() => grantItems(menus), [menus])
  const held = useMemo(() => withBranches(items, new Set(value)), [items, value])
  return (
    <PermissionTree
      {...rest}
      tree={items}
      value={held}
      onChange={(keys) => onChange?.(settled(menus, new Set(value), leavesOf(keys)))}
    />
  )
}
