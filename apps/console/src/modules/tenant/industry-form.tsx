import { IndustryInput, type IndustryNode, industry } from '@oms/contract/industry.ts'
import { Alert, Form, Modal } from 'antd'
import { NoteField, NumberField, SelectField, TextField } from '#kit/field.tsx'
import { TreeSelectField } from '#kit/field-tree.tsx'
import { useFormModal } from '#kit/use-form-modal.ts'

type Tree = readonly IndustryNode[]

export function IndustryAdd({ tree, parentId, onClose }: { tree: Tree; parentId: number; onClose(): void }) {
  const { modal, form } = useFormModal(industry.create, { onClose, initial: { parentId, sort: 0 } })
  return (
    <Modal title="新增行业" {...modal}>
      <Form {...form}>
        <Fields tree={tree} />
      </Form>
    </Modal>
  )
}

export function IndustryEdit({ tree, row, onClose }: { tree: Tree; row: IndustryNode; onClose(): void }) {
  const { children, ...initial } = row
  const { modal, form } = useFormModal(industry.update, { onClose, initial })
  return (
    <Modal title={`编辑行业「${row.name}」`} {...modal}>
      <Form {...form}>
        <Fields tree={tree.filter(({ id }) => id !== row.id)} fixed={(children?.length ?? 0) > 0} />
      </Form>
    </Modal>
  )
}

function Fields({ tree, fixed = false }: { tree: Tree; fixed?: boolean }) {
  const parents = [{ value: 0, label: '无（第一级）' }, ...tree.map(({ id, name }) => ({ value: id, label: name }))]
  return (
    <>
      <SelectField
        of={IndustryInput}
        name="parentId"
        options={parents}
        disabled={fixed}
        hint={fixed && '有下级的行业不能移到第二级'}
      />
      <TextField of={IndustryInput} name="name" />
      <TextField of={IndustryInput} name="code" hint="大写字母、数字和下划线" />
      <NumberField of={IndustryInput} name="sort" min={0} max={9999} />
      <NoteField of={IndustryInput} name="remark" rows={2} />
    </>
  )
}

/** Moves the customers of one industry to another. */
export function IndustryMerge({ tree, row, onClose }: { tree: Tree; row: IndustryNode; onClose(): void }) {
  const { modal, form } = useFormModal(industry.merge, { onClose, initial: { fromId: row.id } })
  const choices = tree.map(({ id, name, children }) => ({
    key: id,
    title: name,
    disabled: id === row.id,
    children: children.map((child) => ({ key: child.id, title: child.name, disabled: child.id === row.id })),
  }))
  return (
    <Modal title={`合并行业「${row.name}」`} {...modal} okText="合并">
      <Alert
        type="warning"
        showIcon
        title={`「${row.name}」的 ${row.tenantCount} 个客户将移到目标行业，随后该行业被删除`}
        style={{ marginBottom: 16 }}
      />
      <Form {...form}>
        <TreeSelectField of={industry.merge.input} name="toId" tree={choices} />
      </Form>
    </Modal>
  )
}
