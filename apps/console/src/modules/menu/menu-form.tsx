import { MENU_TYPE, type MenuType, menu } from '@oms/contract/menu.ts'
import { Drawer, Form, Radio } from 'antd'
import { call } from '#kernel/call.ts'
import { useRead } from '#kernel/query.ts'
import { FormFooter } from '#kit/form-footer.tsx'
import { LoadingDrawer } from '#kit/loading-layer.tsx'
import { useFormDrawer } from '#kit/use-form-modal.ts'
import { MenuFieldsOf } from './menu-fields.tsx'
import type { Menu, MenuNode } from './menu-nodes.ts'

interface AddProps {
  parent: MenuNode | undefined
  tree: readonly MenuNode[]
  onClose(): void
}

const BELOW: Readonly<Record<MenuType, MenuType>> = { M: 'C', C: 'F', F: 'F' }
const NEW = { sort: 0, visible: 1, status: 1, keepAlive: 1, affix: 0, isFrame: 0 }

/** Adds a menu, below the one it was asked for. */
export function MenuAdd({ parent, tree, onClose }: AddProps) {
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
        <MenuFieldsOf tree={tree} />
      </Form>
    </Drawer>
  )
}

interface EditProps {
  id: number
  tree: readonly MenuNode[]
  onClose(): void
}

/** Changes a menu; it is read anew first, so that the form never starts from an old revision. */
export function MenuEdit({ id, tree, onClose }: EditProps) {
  const read = useRead(menu.get, { id }, { staleTime: 0, keepPrevious: false, quiet: true })
  const { data } = read
  if (data) return <Loaded key={data.id} loaded={data} tree={tree} onClose={onClose} />
  return <LoadingDrawer title="编辑菜单" reads={[read]} onClose={onClose} />
}

/** Switched off from above is switched on in itself. */
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
        <MenuFieldsOf tree={tree} stored={loaded} />
      </Form>
    </Drawer>
  )
}
