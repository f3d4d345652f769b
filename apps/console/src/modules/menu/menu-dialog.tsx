import { MenuAddForm, MenuEditForm } from './menu-form.tsx'
import { MenuLint } from './menu-lint.tsx'
import type { MenuNode } from './menu-nodes.ts'

/** The dialog that is open above the tree. At most one dialog is open. */
export type MenuDialogState =
  | { readonly what: 'add'; readonly parent?: MenuNode }
  | { readonly what: 'edit'; readonly id: number }
  | { readonly what: 'lint' }

interface DialogProps {
  shown: MenuDialogState
  tree: readonly MenuNode[]
  onShow(shown: MenuDialogState): void
  onClose(): void
}

export function MenuDialog({ shown, tree, onShow, onClose }: DialogProps) {
  switch (shown.what) {
    case 'add':
      return <MenuAddForm parent={shown.parent} tree={tree} onClose={onClose} />
    case 'edit':
      return <MenuEditForm id={shown.id} tree={tree} onClose={onClose} />
    default:
      return <MenuLint onOpen={(id) => onShow({ what: 'edit', id })} onClose={onClose} />
  }
}
