import { deviceGroups, GROUP_KIND, GroupInput, GroupRuleInput } from '@oms/contract/device/device-group.ts'
import { Drawer, Form, type FormInstance, Radio, Alert, Select } from 'antd'
import type * as z from 'zod'
import { call } from '#core/api/client.ts'
import { useRead } from '#core/api/query.ts'
import { useCan } from '#core/auth/session.tsx'
import type { CreateFormProps } from '#core/routing/create-forms.ts'
import { LoadingDrawer } from '#kit/feedback/loading-layer.tsx'
import { Field, NoteField, SwitchField, TextField, NumberField } from '#kit/form/field.tsx'
import { TreeSelectField } from '#kit/form/field-tree.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormDrawer } from '#kit/form/use-form-modal.ts'
import { toGroupInput, type GroupNode, listPossibleParents, buildGroupTree } from './group-tree.ts'
import { useQuery } from '@tanstack/react-query'
import { useDebounced } from '#kit/form/use-debounced.ts'
import { DeviceModelsPicker } from '#kit/pickers/model-picker.tsx'
import { DeviceTypesPicker } from '#kit/pickers/type-picker.tsx'

type Detail = z.output<(typeof deviceGroups.get)['result']>
type NamedRecords = Detail['types']

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
  const named: { types: NamedRecords; models: NamedRecords } = { types: self?.types ?? [], models: self?.models ?? [] }
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

interface Named {
  readonly id: number
  readonly name: string
}
interface RuleFieldsProps {
  form: FormInstance
  tenantId: number | undefined
  /** Initially selected options, so that names are shown instead of ids. */
  named: { readonly types: readonly Named[]; readonly models: readonly Named[] }
}

const WITHIN = ['rule'] as const

/** Conditions of a dynamic group, with the number of matching devices. */
function RuleFields({ form, tenantId, named }: RuleFieldsProps) {
  return (
    <fieldset className="kit-box">
      <legend>规则</legend>
      <p className="kit-hint">同时满足所填的全部条件；同一条件的多个值满足其一即可。</p>
      <div className="kit-pair">
        <Field of={GroupRuleInput} name="typeIds" within={WITHIN}>
          <DeviceTypesPicker create="deviceType" chosen={named.types} />
        </Field>
        <Field of={GroupRuleInput} name="modelIds" within={WITHIN}>
          <DeviceModelsPicker create="deviceModel" chosen={named.models} />
        </Field>
        <NumberField of={GroupRuleInput} name="verCodeMin" within={WITHIN} />
        <NumberField of={GroupRuleInput} name="verCodeMax" within={WITHIN} />
        <Field of={GroupRuleInput} name="tags" within={WITHIN} hint="输入后按回车；有其中任一标签即可">
          <Select
            mode="tags"
            open={false}
            suffixIcon={null}
            tokenSeparators={[',', '，', '、', ' ']}
            placeholder="输入标签"
          />
        </Field>
        <TextField of={GroupRuleInput} name="snPrefix" within={WITHIN} />
        <TextField of={GroupRuleInput} name="region" within={WITHIN} hint="与设备的地区完全相同" />
      </div>
      <Matches form={form} tenantId={tenantId} />
    </fieldset>
  )
}

interface MatchesProps {
  readonly form: FormInstance
  readonly tenantId: number | undefined
}

/** Counts the devices that match the rule in the form. */
function useMatches({ form, tenantId }: MatchesProps) {
  const rule = Form.useWatch<object | undefined>('rule', form)
  const text = useDebounced(JSON.stringify(conditionsOf(rule)))
  const given = JSON.parse(text) as Record<string, never>
  const { data, error, isFetching } = useQuery({
    queryKey: ['device', deviceGroups.preview.path, text, tenantId],
    queryFn: ({ signal }) =>
      call(deviceGroups.preview, { rule: given, ...(tenantId && { tenantId }) }, { signal, quiet: true }),
    enabled: text !== '{}',
    staleTime: 10_000,
  })
  return { hasRule: text !== '{}', count: data?.count, error, isFetching }
}

/** Shows the number of matching devices beside the save button, because the rule can be below the visible part. */
function MatchCount(props: MatchesProps) {
  const { hasRule, count, error, isFetching } = useMatches(props)
  if (!hasRule || error || count === undefined) return null
  return (
    <span aria-busy={isFetching}>
      <b>{count.toLocaleString()}</b> 台设备符合规则
    </span>
  )
}

function Matches(props: MatchesProps) {
  const { hasRule, count, error, isFetching } = useMatches(props)
  if (!hasRule) return <Alert type="warning" showIcon title="请至少设置一个条件" />
  if (error) return <Alert type="error" showIcon title={error.message} />
  const words = count !== undefined ? `当前有 ${count.toLocaleString()} 台设备符合规则` : '正在统计符合规则的设备…'
  return <Alert type="info" showIcon role="status" aria-busy={isFetching} title={words} />
}

const conditionsOf = (rule: object | undefined) =>
  Object.fromEntries(
    Object.entries(rule ?? {}).filter(
      ([, value]) =>
        value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0),
    ),
  )
