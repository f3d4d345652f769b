import { MenuFields, type MenuType } from '@oms/contract/system/menu.ts'
import { Alert, Form, Select } from 'antd'
import { Field, NoteField, NumberField, SelectField, SwitchField, TextField } from '#kit/form/field.tsx'
import { TreeSelectField } from '#kit/form/field-tree.tsx'
import { MENU_ICONS, MenuIcon } from './menu-icon.tsx'
import { type Menu, type MenuNode, listPossibleParents } from './menu-nodes.ts'

interface FieldsProps {
  tree: readonly MenuNode[]
  /** The menu that is edited. The built-in fields of a built-in menu are read-only. */
  stored?: Menu
}

/** Form fields of a menu. The fields depend on the menu type. */
export function MenuFormFields({ tree, stored }: FieldsProps) {
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
      showSearch
      placeholder="请选择图标"
      options={MENU_ICONS.map((name) => ({ value: name, label: <IconChoice name={name} /> }))}
    />
  </Field>
)

const IconChoice = ({ name }: { name: string }) => (
  <span className="kit-row">
    <MenuIcon name={name} /> {name}
  </span>
)
