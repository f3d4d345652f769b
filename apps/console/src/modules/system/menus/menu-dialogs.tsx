import { type MenuNode, type Menu, MENU_ICONS, MenuIcon, formatIconName, listPossibleParents } from './menu.tsx'
import { MENU_TYPE, type MenuType, menu, MenuFields, MenuRow } from '@oms/contract/system/menu.ts'
import { Drawer, Form, Radio, Alert, Select } from 'antd'
import { call } from '#core/api/client.ts'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import { Field, NoteField, NumberField, SelectField, SwitchField, TextField } from '#kit/form/field.tsx'
import { TreeSelectField } from '#kit/form/field-tree.tsx'
import { CopyText } from '#kit/record/copy-text.tsx'
import type { RecordNavigation } from '#kit/record/detail-drawer.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { RecordDrawer } from '#kit/record/record-drawer.tsx'
import { time } from '#kit/record/time.tsx'

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

interface FieldsProps {
  tree: readonly MenuNode[]
  /** The menu that is edited. The built-in fields of a built-in menu are read-only. */
  stored?: Menu
}

/** Form fields of a menu. The fields depend on the menu type. */
function MenuFormFields({ tree, stored }: FieldsProps) {
  const type = (Form.useWatch('type') ?? stored?.type ?? 'M') as MenuType
  const fixed = stored?.isBuiltin === 1
  const top = { key: 0, title: '顶级菜单', disabled: type === 'F' }
  return (
    <>
      {fixed && (
        <Alert type="info" showIcon title="内置菜单的访问地址和权限标识由程序决定，不能修改。" className="kit-note" />
      )}
      <TreeSelectField
        of={MenuFields}
        name="parentId"
        tree={[{ ...top, children: listPossibleParents(tree, type, stored?.id) }]}
      />
      <TextField of={MenuFields} name="name" />
      {type !== 'F' && <TextField of={MenuFields} name="url" disabled={fixed} />}
      {type !== 'M' && (
        <TextField of={MenuFields} name="perms" disabled={fixed} hint="例如 system:manager:add，保存后可在角色中授予" />
      )}
      {type !== 'F' && <IconField />}
      <NumberField of={MenuFields} name="sort" />
      <div className="kit-pair">
        <SwitchField of={MenuFields} name="status" />
        {type !== 'F' && <SwitchField of={MenuFields} name="visible" on="显示" off="隐藏" />}
        {type === 'C' && <SwitchField of={MenuFields} name="keepAlive" on="缓存" off="不缓存" />}
      </div>
      {type === 'C' && <PageFields fixed={fixed} />}
      <NoteField of={MenuFields} name="remark" rows={2} />
    </>
  )
}

function PageFields({ fixed }: { fixed: boolean }) {
  return (
    <>
      <SelectField of={MenuFields} name="isFrame" disabled={fixed} />
      <TextField of={MenuFields} name="query" />
      <TextField
        of={MenuFields}
        name="activeMenu"
        disabled={fixed}
        hint="隐藏页面所属的页面地址：有该页面权限的人可以打开本页面"
      />
    </>
  )
}

const IconField = () => (
  <Field of={MenuFields} name="icon">
    <Select
      allowClear
      showSearch={{ optionFilterProp: 'title' }}
      placeholder="请选择图标"
      options={MENU_ICONS.map((name) => ({
        value: name,
        title: formatIconName(name),
        label: <IconChoice name={name} />,
      }))}
    />
  </Field>
)

const IconChoice = ({ name }: { name: string }) => (
  <span className="kit-row">
    <MenuIcon name={name} /> {formatIconName(name)}
  </span>
)

const { item, wide } = createDescriptions(MenuRow)
const yesNo = (value: number) => (value === 1 ? '是' : '否')
const KIND = item('type', (type) => MENU_TYPE[type])
const STATE = [item('status'), item('sort'), item('isBuiltin', yesNo), item('updateTime', time), wide('remark')]
const ICON = item('icon', (icon) => icon && <IconChoice name={icon} />)
const PERMS = wide('perms', (perms) => perms && <CopyText text={perms} />)
/** Detail fields of a menu. Buttons have no URL, so the URL fields are hidden for buttons. */
const ITEMS = {
  M: [KIND, item('url'), ICON, item('visible'), ...STATE],
  C: [
    KIND,
    item('url'),
    PERMS,
    ICON,
    item('visible'),
    item('isFrame'),
    item('keepAlive', yesNo),
    item('affix', yesNo),
    item('query'),
    item('activeMenu'),
    item('routeName'),
    ...STATE,
  ],
  F: [KIND, PERMS, ...STATE],
}

/** Shows one menu in a drawer: its fields and its operation history. */
export const MenuDrawer = (props: RecordNavigation<MenuNode>) => (
  <RecordDrawer {...props} rowKey="id" bizType="menu" title={({ name }) => `菜单「${name}」`}>
    {(row) => <Descriptions row={row} items={ITEMS[row.type]} />}
  </RecordDrawer>
)
