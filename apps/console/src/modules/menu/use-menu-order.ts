import { menu } from '@oms/contract/menu.ts'
import { useMemo, useState } from 'react'
import { useWrite } from '#kernel/query.ts'
import { useCan } from '#kernel/session.tsx'
import { useUnsaved } from '#kernel/tab.tsx'
import { type MenuNode, siblingsOf, stepped } from './menu-nodes.ts'
import { arranged, changedPlaces, dropped, mayDrop, type Places, type Zone } from './menu-places.ts'

const NONE: Places = new Map()

/**
 * Menus dragged to other places and numbers typed into the table, saved together in one call; and single steps up and
 * down, saved at once while nothing else waits.
 */
export function useMenuOrder(tree: readonly MenuNode[]) {
  const can = useCan()
  const save = useWrite(menu.sort)
  /** Dragged: the tree shows it at once. Typed: a row must not jump away while its number is being typed. */
  const [moved, setMoved] = useState(NONE)
  const [typed, setTyped] = useState(NONE)
  const rows = useMemo(() => arranged(tree, moved), [tree, moved])
  const together = new Map([...moved, ...typed])
  const changed = changedPlaces(tree, together)
  useUnsaved(changed.length > 0)
  const discard = () => {
    setMoved(NONE)
    setTyped(NONE)
  }
  const move = (next: Places) => {
    setMoved(new Map([...together, ...next]))
    setTyped(NONE)
  }
  return {
    /** The tree as it would be saved, but for numbers being typed. */
    rows,
    allowed: can(menu.sort.access),
    changed: changed.length,
    saving: save.isPending,
    sortOf: ({ id, sort }: MenuNode) => typed.get(id)?.sort ?? sort,
    type: ({ id, parentId }: MenuNode, sort: number) => setTyped(new Map(typed).set(id, { parentId, sort })),
    step(id: number, by: -1 | 1) {
      const list = stepped(siblingsOf(arranged(tree, together), id), id, by)
      if (!list) return
      if (changed.length === 0) save.mutate({ list })
      else move(new Map(list.map(({ id: each, ...place }) => [each, place])))
    },
    mayDrop: (from: MenuNode, onto: MenuNode, zone: Zone) => mayDrop(rows, from, onto, zone),
    drop(from: MenuNode, onto: MenuNode, zone: Zone) {
      const now = arranged(tree, together)
      const target = siblingsOf(now, onto.id).find(({ id }) => id === onto.id)
      if (target) move(dropped(now, from.id, target, zone))
    },
    save: () => save.mutate({ list: changed }, { onSuccess: discard }),
    discard,
  }
}
export type MenuOrder = ReturnType<typeof useMenuOrder>
