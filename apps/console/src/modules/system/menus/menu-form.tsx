import { MENU_TYPE, type MenuType, menu } from '@oms/contract/system/menu.ts'
import { Drawer, Form, Radio } from 'antd'
import { call } from '#core/api/client.ts'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import { MenuFormFields } from './menu-fields.tsx'
import type { Menu, MenuNode } from './menu-nodes.ts'

interface AddProps {
  parent: MenuNode | undefined
  tree: readonly MenuNode[]
  onClose(): void
}

const BELOW: Readonly<Record<MenuType, MenuType>> = { M: 'C', C: 'F', F: 'F' }
const NEW = { sort: 0, visible: 1, status: 1, keepAlive: 1, affix: 0, isFrame: 0 }

/** Form that adds a menu below `parent`. */
export function MenuAddForm({ parent, tree, onClose }: AddProps) {
  const type = parent ? BELOW[parent.type] : 'M'
  const { drawer, footer, form } = useFormDrawer(menu.create, {
    onClose,
    initial: { ...NEW, type, parentId: parent?.id ?? 0 },
  })
  return (
    <Drawer {...drawer} title="新增菜单" footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <Form.Item name="type" label="菜单类型" required>
          <Radio.Group
            optionType="button"
            options={Object.entries(MENU_TYPE).map(([value, label]) => ({ value, label }))}
          />
        </Form.Item>
        <MenuFormFields tree={tree} />
      </Form>
    </Drawer>
  )
}

interface EditProps {
  id: number
  tree: readonly MenuNode[]
  onClose(): void
}

/** Form that edits a menu. */
export function MenuEditForm({ id, tree, onClose }: EditProps) {
  return (
    <FreshRecord
      of={id}
      read={() => call(menu.get, { id }, { quiet: true })}
      layer="drawer"
      title="编辑菜单"
      onClose={onClose}
    >
      {(loaded) => <Loaded loaded={loaded} tree={tree} onClose={onClose} />}
    </FreshRecord>
  )
}

/** Returns the menu with its own status. A menu that only a disabled parent disables is itself enabled. */
const ownStatus = (row: Menu) => ({ ...row, status: row.status === 0 ? 0 : 1 })

function Loaded({ loaded, tree, onClose }: { loaded: Menu; tree: readonly MenuNode[]; onClose(): void }) {
  const { drawer, footer, form } = useFormDrawer(menu.update, {
    onClose,
    initial: ownStatus(loaded),
    latest: async () => ownStatus(await call(menu.get, { id: loaded.id })),
  })
  const title = `编辑${MENU_TYPE[loaded.type]}「${loaded.name}」`
  return (
    <Drawer {...drawer} title={title} footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <MenuFormFields tree={tree} stored={loaded} />
      </Form>
    </Drawer>
  )
}
