import { menu } from '@oms/contract/menu.ts'
import { useState } from 'react'
import { useWrite } from '#kernel/query.ts'
import { useCan } from '#kernel/session.tsx'
import { useUnsaved } from '#kernel/tab.tsx'
import { changedPlaces, type MenuNode, siblingsOf, stepped } from './menu-nodes.ts'

/** Numbers typed into the table, saved together; and single steps up and down, saved at once. */
export function useMenuOrder(tree: readonly MenuNode[]) {
  const can = useCan()
  const [typed, setTyped] = useState<ReadonlyMap<number, number>>(new Map())
  const save = useWrite(menu.sort)
  const changed = changedPlaces(tree, typed)
  useUnsaved(changed.length > 0)
  const step = (id: number, by: -1 | 1) => {
    const list = stepped(siblingsOf(tree, id), id, by)
    if (list) save.mutate({ list })
  }
  return {
    allowed: can(menu.sort.access),
    changed: changed.length,
    saving: save.isPending,
    sortOf: ({ id, sort }: MenuNode) => typed.get(id) ?? sort,
    type: (id: number, sort: number) => setTyped(new Map(typed).set(id, sort)),
    step,
    save: () => save.mutate({ list: changed }, { onSuccess: () => setTyped(new Map()) }),
    discard: () => setTyped(new Map()),
  }
}
export type MenuOrder = ReturnType<typeof useMenuOrder>
