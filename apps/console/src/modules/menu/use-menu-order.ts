import { menu } from '@oms/contract/menu/menu.ts'
import { useState } from 'react'
import { useWrite } from '#core/api/query.ts'
import { useMayCall } from '#core/auth/session.tsx'
import { useUnsaved } from '#core/routing/tab.tsx'
import { flattenMenus, type MenuNode } from './menu-nodes.ts'

/** Keeps the sort numbers that the user has typed. One call saves all of them. */
export function useMenuOrder(tree: readonly MenuNode[]) {
  const mayCall = useMayCall()
  const save = useWrite(menu.sort)
  const [typed, setTyped] = useState<ReadonlyMap<number, number>>(new Map())
  const list = flattenMenus(tree).flatMap(({ id, sort: stored }) => {
    const sort = typed.get(id) ?? stored
    return sort === stored ? [] : [{ id, sort }]
  })
  useUnsaved(list.length > 0)
  const discard = () => setTyped(new Map())
  return {
    allowed: mayCall(menu.sort),
    changed: list.length,
    saving: save.isPending,
    sortOf: ({ id, sort }: MenuNode) => typed.get(id) ?? sort,
    type: ({ id }: MenuNode, sort: number) => setTyped(new Map(typed).set(id, sort)),
    save: () => save.mutate({ list }, { onSuccess: discard }),
    discard,
  }
}
export type MenuOrder = ReturnType<typeof useMenuOrder>
