import type { PermNode } from '@oms/contract/permissions/permission-tree.ts'
import { useCallback, useMemo } from 'react'
import { useValueNames } from '#kit/form/option-labels.ts'
import { buildGrantItems, nameGrants, filterLeafIds, applyGrantClick, includeAncestorKeys } from './grant-rules.ts'
import { PermissionTree } from './permission-tree.tsx'
import type { Key } from './tree-item.ts'

interface GrantTreeProps {
  /** Set by the form field. */
  id?: string
  menus: readonly PermNode[]
  /** Ids of the granted pages and buttons. */
  value?: readonly number[]
  onChange?: (menuIds: number[]) => void
  height?: number
  label?: string
}

const isPermission = (key: Key) => filterLeafIds([key]).length > 0

/** Selects the pages and buttons of a role or scene. */
export function GrantTree({ id, menus, value = [], onChange, ...rest }: GrantTreeProps) {
  const names = useMemo(() => nameGrants(menus), [menus])
  useValueNames(
    id,
    useCallback((menuId) => names.get(Number(menuId)), [names]),
  )
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
