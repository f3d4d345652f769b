import { MenuAddForm, MenuEditForm } from './menu-form.tsx'
import type { MenuNode } from './menu-nodes.ts'

/** The dialog that is open above the tree. At most one dialog is open. */
export type MenuDialogState =
  | { readonly what: 'add'; readonly parent?: MenuNode }
  | { readonly what: 'edit'; readonly id: number }

interface DialogProps {
  shown: MenuDialogState
  tree: readonly MenuNode[]
  onClose(): void
}

export function MenuDialog({ shown, tree, onClose }: DialogProps) {
  if (shown.what === 'add') return <MenuAddForm parent={shown.parent} tree={tree} onClose={onClose} />
  return <MenuEditForm id={shown.id} tree={tree} onClose={onClose} />
}
