import { IndustryInput, type IndustryNode, industry } from '@oms/contract/tenant/industry.ts'
import { Alert, Form, Modal } from 'antd'
import { call, ApiError } from '#core/api/client.ts'
import { useRead } from '#core/api/query.ts'
import { useCan } from '#core/auth/session.tsx'
import type { CreateFormProps } from '#core/routing/create-forms.ts'
import { LoadingModal } from '#kit/feedback/loading-layer.tsx'
import { NoteField, NumberField, SelectField, TextField } from '#kit/form/field.tsx'
import { TreeSelectField } from '#kit/form/field-tree.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'

type Tree = readonly IndustryNode[]

/**
 * Creates an industry from a select of industries. Creates a root industry when the user may not list the industries.
 */
export function IndustryCreate(props: CreateFormProps) {
  const mayList = useCan()(industry.list.access)
  const read = useRead(industry.list, {}, { quiet: true, enabled: mayList })
  if (mayList && !read.data) return <LoadingModal title="新增行业" reads={[read]} onClose={props.onClose} />
  return <IndustryAddForm tree={read.data?.list ?? []} parentId={0} {...props} />
}

interface AddProps extends Partial<CreateFormProps> {
  readonly tree: Tree
  readonly parentId: number
  onClose(): void
}

/** Creates an industry below `parentId`; 0 creates a root. */
export function IndustryAddForm({ tree, parentId, onClose, onCreated }: AddProps) {
  const { modal, form } = useFormModal(industry.create, {
    onClose,
    onSaved: ({ id }, { name }) => onCreated?.({ id, name }),
    initial: { parentId, sort: 0 },
  })
  return (
    <Modal title="新增行业" {...modal}>
      <Form {...form}>
        <Fields tree={tree} />
      </Form>
    </Modal>
  )
}

export function IndustryEditForm({ tree, row, onClose }: { tree: Tree; row: IndustryNode; onClose(): void }) {
  return (
    <FreshRecord of={row.id} read={() => readIndustry(row)} title={`编辑行业「${row.name}」`} onClose={onClose}>
      {(fresh) => <EditForm tree={tree} row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

async function readIndustry({ id }: Pick<IndustryNode, 'id'>) {
  const { list } = await call(industry.list, {}, { quiet: true })
  const found = list.flatMap((each) => [each, ...each.children]).find((each) => each.id === id)
  return found ?? Promise.reject(new ApiError(404, '该行业不存在或已被删除'))
}

function EditForm({ tree, row, onClose }: { tree: Tree; row: IndustryNode; onClose(): void }) {
  const { children } = row
  const latest = async () => forForm(await readIndustry(row))
  const { modal, form } = useFormModal(industry.update, { onClose, initial: forForm(row), latest })
  return (
    <Modal title={`编辑行业「${row.name}」`} {...modal}>
      <Form {...form}>
        <Fields tree={tree.filter(({ id }) => id !== row.id)} fixed={(children?.length ?? 0) > 0} />
      </Form>
    </Modal>
  )
}

/** Returns the record without its subtree. */
function forForm(row: IndustryNode) {
  const { children, ...fields } = row
  return children ? fields : row
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
      <NumberField of={IndustryInput} name="sort" />
      <NoteField of={IndustryInput} name="remark" rows={2} />
    </>
  )
}

/** Form that moves the tenants of one industry to another industry. */
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
