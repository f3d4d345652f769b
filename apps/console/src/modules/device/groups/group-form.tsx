import { deviceGroups, GROUP_KIND, GroupInput } from '@oms/contract/device/device-group.ts'
import { Drawer, Form, type FormInstance, Radio } from 'antd'
import type * as z from 'zod'
import { call } from '#core/api/client.ts'
import { useRead } from '#core/api/query.ts'
import { useCan } from '#core/auth/session.tsx'
import type { CreateFormProps } from '#core/routing/create-forms.ts'
import { LoadingDrawer } from '#kit/feedback/loading-layer.tsx'
import { Field, NoteField, SwitchField, TextField } from '#kit/form/field.tsx'
import { TreeSelectField } from '#kit/form/field-tree.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import { toGroupInput } from './group-input.ts'
import { type GroupNode, listPossibleParents, buildGroupTree } from './group-tree.ts'
import { MatchCount, RuleFields } from './rule-fields.tsx'

type Detail = z.output<(typeof deviceGroups.get)['result']>
type Named = Detail['types']

const DYNAMIC = 2

interface Common {
  readonly tree: readonly GroupNode[]
  readonly tenantId?: number
  onClose(): void
}

/** Creates a group of the current tenant from a select of groups. */
export function GroupCreate(props: CreateFormProps) {
  const mayList = useCan()(deviceGroups.list.access)
  const read = useRead(deviceGroups.list, {}, { quiet: true, enabled: mayList })
  if (mayList && !read.data) return <LoadingDrawer title="新增设备分组" reads={[read]} onClose={props.onClose} />
  return <GroupAddForm tree={buildGroupTree(read.data?.list ?? [])} parentId={undefined} {...props} />
}

interface AddProps extends Common {
  readonly parentId: number | undefined
  readonly onCreated?: CreateFormProps['onCreated']
}

/** Creates a root group or a subgroup. */
export function GroupAddForm({ tree, tenantId, parentId, onClose, onCreated }: AddProps) {
  const { drawer, footer, form } = useFormDrawer(deviceGroups.create, {
    onClose,
    onSaved: ({ id }, { groupName }) => onCreated?.({ id, name: groupName }),
    initial: { kind: 1, status: 1, ...(parentId && { parentId }) },
    input: (values) => ({ ...toGroupInput(values), ...(tenantId && { tenantId }) }),
  })
  return (
    <Drawer
      {...drawer}
      title="新增设备分组"
      footer={
        <FormFooter {...footer}>
          <GroupCount form={form.form} tenantId={tenantId} />
        </FormFooter>
      }
    >
      <Form {...form}>
        <Fields form={form.form} tree={tree} tenantId={tenantId} />
      </Form>
    </Drawer>
  )
}

/** Edits a group. */
export function GroupEditForm({ id, ...common }: Common & { id: number }) {
  return (
    <FreshRecord
      of={id}
      read={() => call(deviceGroups.get, { id }, { quiet: true })}
      layer="drawer"
      title="编辑设备分组"
      onClose={common.onClose}
    >
      {(loaded) => <EditForm loaded={loaded} {...common} />}
    </FreshRecord>
  )
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
    input: (values) => ({ ...toGroupInput(values), id, rev: values['rev'] as number }),
    latest: async () => forForm(await call(deviceGroups.get, { id })),
  })
  return (
    <Drawer
      {...drawer}
      title={`编辑分组「${loaded.groupName}」`}
      footer={
        <FormFooter {...footer}>
          <GroupCount form={form.form} tenantId={loaded.tenantId} />
        </FormFooter>
      }
    >
      <Form {...form}>
        <Fields form={form.form} tree={tree} self={loaded} tenantId={loaded.tenantId} />
      </Form>
    </Drawer>
  )
}

/** Shows the number of devices of a dynamic group. */
function GroupCount(props: Parameters<typeof MatchCount>[0]) {
  const kind = Form.useWatch<number | undefined>('kind', props.form)
  return kind === DYNAMIC && <MatchCount {...props} />
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
        tree={listPossibleParents(tree, self?.id)}
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
      {kind === DYNAMIC && <RuleFields form={form} tenantId={tenantId} named={named} />}
      <SwitchField of={GroupInput} name="status" />
      <NoteField of={GroupInput} name="description" rows={2} />
    </>
  )
}
