import { deviceGroups, GROUP_KIND, GroupInput } from '@oms/contract/device-group.ts'
import { Drawer, Form, type FormInstance, Radio } from 'antd'
import type * as z from 'zod'
import { call } from '#kernel/call.ts'
import { useRead } from '#kernel/query.ts'
import { Field, NoteField, SwitchField, TextField } from '#kit/field.tsx'
import { TreeSelectField } from '#kit/field-tree.tsx'
import { FormFooter } from '#kit/form-footer.tsx'
import { LoadingDrawer } from '#kit/loading-layer.tsx'
import { useFormDrawer } from '#kit/use-form-modal.ts'
import { type GroupNode, parentItems } from './group-tree.ts'
import { RuleFields } from './rule-fields.tsx'

type Detail = z.output<(typeof deviceGroups.get)['result']>
type Named = Detail['types']

interface Common {
  readonly tree: readonly GroupNode[]
  readonly tenantId?: number
  onClose(): void
}

/** Only a dynamic group has a rule; an emptied condition is none. */
function inputOf(values: Record<string, unknown>) {
  const { kind, rule, parentId, groupName, status, description } = values
  const given = Object.entries((rule ?? {}) as object).filter(
    ([, value]) =>
      value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0),
  )
  return {
    kind,
    parentId: parentId ?? 0,
    groupName,
    status,
    description,
    ...(kind === 2 && { rule: Object.fromEntries(given) }),
  } as z.input<(typeof deviceGroups.create)['input']>
}

/** Makes a group, at the top or below another. */
export function GroupAdd({ tree, tenantId, parentId, onClose }: Common & { parentId: number | undefined }) {
  const { drawer, footer, form } = useFormDrawer(deviceGroups.create, {
    onClose,
    initial: { kind: 1, status: 1, ...(parentId && { parentId }) },
    input: (values) => ({ ...inputOf(values), ...(tenantId && { tenantId }) }),
  })
  return (
    <Drawer {...drawer} title="新增设备分组" footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <Fields form={form.form} tree={tree} tenantId={tenantId} />
      </Form>
    </Drawer>
  )
}

/** Changes a group; it is read anew first, for its rule and for the names of what the rule says. */
export function GroupEdit({ id, ...common }: Common & { id: number }) {
  const read = useRead(deviceGroups.get, { id }, { staleTime: 0, keepPrevious: false, quiet: true })
  const { data } = read
  if (!data) return <LoadingDrawer title="编辑设备分组" reads={[read]} onClose={common.onClose} />
  return <EditForm key={data.id} loaded={data} {...common} />
}

const forForm = ({ rule, parentId, ...row }: Detail) => ({
  ...row,
  parentId: parentId || undefined,
  rule: rule ?? undefined,
})

function EditForm({ loaded, tree, onClose }: Common & { loaded: Detail }) {
  const { id } = loaded
  const { drawer, footer, form } = useFormDrawer(deviceGroups.update, {
    onClose,
    initial: forForm(loaded),
    input: (values) => ({ ...inputOf(values), id, rev: values['rev'] as number }),
    latest: async () => forForm(await call(deviceGroups.get, { id })),
  })
  return (
    <Drawer {...drawer} title={`编辑分组「${loaded.groupName}」`} footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <Fields form={form.form} tree={tree} self={loaded} tenantId={loaded.tenantId} />
      </Form>
    </Drawer>
  )
}

interface FieldsProps {
  form: FormInstance
  tree: readonly GroupNode[]
  tenantId: number | undefined
  self?: Detail
}

function Fields({ form, tree, tenantId, self }: FieldsProps) {
  const kind = Form.useWatch<number | undefined>('kind', form)
  const named: { types: Named; models: Named } = { types: self?.types ?? [], models: self?.models ?? [] }
  return (
    <>
      <TextField of={GroupInput} name="groupName" />
      <TreeSelectField
        of={GroupInput}
        name="parentId"
        tree={parentItems(tree, self?.id)}
        hint="不选则为一级分组，最多三级"
      />
      <Field
        of={GroupInput}
        name="kind"
        hint={self ? '分组类型在新增后不能修改' : '静态：手动添加设备；动态：符合规则的设备自动属于该分组'}
      >
        <Radio.Group
          disabled={self !== undefined}
          options={Object.entries(GROUP_KIND).map(([value, label]) => ({
            value: Number(value),
            label: `${label}分组`,
          }))}
        />
      </Field>
      {kind === 2 && <RuleFields form={form} tenantId={tenantId} named={named} />}
      <SwitchField of={GroupInput} name="status" />
      <NoteField of={GroupInput} name="description" rows={2} />
    </>
  )
}
