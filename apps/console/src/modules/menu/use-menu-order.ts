import { menu } from '@oms/contract/menu/menu.ts'
import { useMemo, useState } from 'react'
import { useWrite } from '#core/api/query.ts'
import { useMayCall } from '#core/auth/session.tsx'
import { useUnsaved } from '#core/routing/tab.tsx'
import { type MenuNode, listSiblings, moveMenuByStep } from './menu-nodes.ts'
import {
  applyPlaces,
  diffPositions,
  moveMenuByDrop,
  canDropMenu,
  type MenuPlaces,
  type DropZone,
} from './menu-places.ts'

const NONE: MenuPlaces = new Map()

/**
 * Keeps the changed order of the menus. Dragged menus and typed numbers are saved together in one call. A single step
 * up or down is saved at once unless other changes are unsaved.
 */
export function useMenuOrder(tree: readonly MenuNode[]) {
  const mayCall = useMayCall()
  const save = useWrite(menu.sort)
  /**
   * `moved` are dragged menus: the tree shows them at once. `typed` are numbers being typed: their rows stay in place.
   */
  const [moved, setMoved] = useState(NONE)
  const [typed, setTyped] = useState(NONE)
  const rows = useMemo(() => applyPlaces(tree, moved), [tree, moved])
  const together = new Map([...moved, ...typed])
  const changed = diffPositions(tree, together)
  useUnsaved(changed.length > 0)
  const discard = () => {
    setMoved(NONE)
    setTyped(NONE)
  }
  const move = (next: MenuPlaces) => {
    setMoved(new Map([...together, ...next]))
    setTyped(NONE)
  }
  return {
    /** The tree with the dragged menus, without the numbers being typed. */
    rows,
    allowed: mayCall(menu.sort),
    changed: changed.length,
    saving: save.isPending,
    sortOf: ({ id, sort }: MenuNode) => typed.get(id)?.sort ?? sort,
    type: ({ id, parentId }: MenuNode, sort: number) => setTyped(new Map(typed).set(id, { parentId, sort })),
    step(id: number, by: -1 | 1) {
      const list = moveMenuByStep(listSiblings(applyPlaces(tree, together), id), id, by)
      if (!list) return
      if (changed.length === 0) save.mutate({ list })
      else move(new Map(list.map(({ id: each, ...place }) => [each, place])))
    },
    mayDrop: (from: MenuNode, onto: MenuNode, zone: DropZone) => canDropMenu(rows, from, onto, zone),
    drop(from: MenuNode, onto: MenuNode, zone: DropZone) {
      const now = applyPlaces(tree, together)
      const target = listSiblings(now, onto.id).find(({ id }) => id === onto.id)
      if (target) move(moveMenuByDrop(now, from.id, target, zone))
    },
    save: () => save.mutate({ list: changed }, { onSuccess: discard }),
    discard,
  }
}
export type MenuOrder = ReturnType<typeof useMenuOrder>
