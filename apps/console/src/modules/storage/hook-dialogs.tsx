import { HookChange, HookInput, HookRow, storageHooks, EVENT_TYPE, HookEventRow } from '@oms/contract/storage/hook.ts'
import { Form, Modal, Tabs, Select } from 'antd'
import type * as z from 'zod'
import { call, readFresh } from '#core/api/client.ts'
import { NoteField, SelectField, SwitchField, TextField, Field } from '#kit/form/field.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { OwnerField } from '#kit/pickers/owner-field.tsx'
import { CopyText } from '#kit/record/copy-text.tsx'
import { Descriptions, createDescriptions } from '#kit/record/descriptions.tsx'
import { DetailDrawer } from '#kit/record/detail-drawer.tsx'
import { RecordHistory } from '#kit/record/record-history.tsx'
import { time } from '#kit/record/time.tsx'
import { formatHookAddress } from './hook-tab.tsx'
import type { ResultOf } from '@oms/contract/core/endpoint.ts'
import { AppKeyInput, type AppKeyRow, appKeys } from '@oms/contract/storage/app-key.ts'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { useRead } from '#core/api/query.ts'
import { Waiting } from '#kit/feedback/waiting.tsx'
import { CodeBlock } from '#kit/record/code-block.tsx'
import { TenantLink } from '#kit/record/record-links.tsx'
import { ResultTag } from './sales-cells.tsx'

interface FormProps {
  readonly onClose: () => void
}
interface SecretProps extends FormProps {
  onSecret(secret: { name: string; secret: string }): void
}

/** Creates or edits the webhook of a shop. */
export function HookForm({ row, onClose, onSecret }: SecretProps & { row: HookRow | 'new' }) {
  if (row === 'new') return <NewHook onClose={onClose} onSecret={onSecret} />
  const read = () => readFresh(storageHooks.get, { id: row.id }, row)
  return (
    <FreshRecord of={row.id} read={read} title="编辑商城" onClose={onClose}>
      {(fresh) => <EditHook row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

type Fields = z.ZodObject<Pick<typeof HookInput.shape, 'hookName' | 'priceFree' | 'status' | 'remark'>>

const HookFields = ({ of }: { of: Fields }) => (
  <>
    <TextField of={of} name="hookName" />
    <SelectField of={of} name="priceFree" />
    <SwitchField of={of} name="status" />
    <NoteField of={of} name="remark" rows={2} />
  </>
)

function NewHook({ onClose, onSecret }: SecretProps) {
  const { modal, form } = useFormModal(storageHooks.create, {
    onClose,
    initial: { priceFree: 0, status: 1 },
    onSaved: ({ secret }, { hookName }) => onSecret({ name: hookName, secret }),
  })
  return (
    <Modal title="新增商城" {...modal}>
      <Form {...form}>
        <OwnerField of={HookInput} effect="只能为该客户的设备开通" />
        <HookFields of={HookInput as unknown as Fields} />
      </Form>
    </Modal>
  )
}

const toHookValues = ({ id, rev, hookName, priceFree, status, remark }: HookRow) =>
  ({ id, rev, hookName, priceFree, status, remark }) as never

function EditHook({ row, onClose }: FormProps & { row: HookRow }) {
  const { modal, form } = useFormModal(storageHooks.update, {
    onClose,
    initial: toHookValues(row),
    latest: async () => toHookValues(await call(storageHooks.get, { id: row.id })),
  })
  return (
    <Modal title={`编辑商城「${row.hookName}」`} {...modal}>
      <Form {...form}>
        <HookFields of={HookChange as unknown as Fields} />
      </Form>
    </Modal>
  )
}

const { item, wide } = createDescriptions(HookRow)
const ITEMS = [
  item('hookName'),
  item('status'),
  item('tenantName', (name, { tenantId }) => <TenantLink id={tenantId} name={name} />),
  item('priceFree'),
  item('rotateTime', time),
  item('lastEventTime', time),
  wide('remark'),
]

/** Webhook drawer: address, signature and history. */
export function HookDrawer(props: {
  rows: readonly HookRow[]
  row: HookRow | undefined
  onRow(row: HookRow | undefined): void
}) {
  return (
    <DetailDrawer {...props} rowKey="id" title={({ hookName }) => `商城 ${hookName}`}>
      {(row) => (
        <Tabs
          items={[
            { key: 'details', label: '基本信息', children: <Details row={row} /> },
            {
              key: 'history',
              label: '操作记录',
              children: <RecordHistory key={row.id} bizType="storageHook" bizId={row.id} />,
            },
          ]}
        />
      )}
    </DetailDrawer>
  )
}

const Details = ({ row }: { row: HookRow }) => (
  <>
    <Descriptions row={row} items={ITEMS} />
    <section>
      <h3 className="kit-heading">回调地址</h3>
      <CopyText text={formatHookAddress(row.id)} />
    </section>
    <section>
      <h3 className="kit-heading">签名</h3>
      <p className="kit-hint">
        请求头 <code>X-OMS-Signature: t=时间戳,v1=签名</code>，签名为密钥对「时间戳.请求内容」的
        HMAC-SHA256（十六进制），时间与服务器相差不超过 300 秒。
      </p>
      <p className="kit-hint">
        返回 200 表示已处理；409 表示不符合规则，已保留在「回调记录」，更正后可重放；503 请稍后重发。
      </p>
    </section>
  </>
)

type Secret = ResultOf<typeof appKeys.create>

/** Creates a key and shows its secret once, or edits a key. */
export function AppKeyForm({
  row,
  onSecret,
  onClose,
}: FormProps & { row: AppKeyRow | 'new'; onSecret: (secret: Secret) => void }) {
  if (row === 'new') return <KeyAddForm onSecret={onSecret} onClose={onClose} />
  return (
    <FreshRecord
      of={row.id}
      read={() => readFresh(appKeys.get, { id: row.id }, row)}
      title="编辑App密钥"
      onClose={onClose}
    >
      {(fresh) => <KeyEditForm row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

const OriginsField = () => (
  <Field of={AppKeyInput} name="origins" hint="网页版 App 的地址，如 https://app.example.com；没有网页版不用填写">
    <Select mode="tags" tokenSeparators={[',', '，', ' ']} open={false} suffixIcon={null} placeholder="输入后按回车" />
  </Field>
)

function KeyAddForm({ onSecret, onClose }: FormProps & { onSecret: (secret: Secret) => void }) {
  const isMany = useHasManyTenants()
  const { modal, form } = useFormModal(appKeys.create, { onClose, onSaved: onSecret })
  return (
    <Modal title="新增App密钥" {...modal}>
      <Form {...form}>
        <TextField of={AppKeyInput} name="keyName" />
        {isMany && (
          <Field of={appKeys.create.input} name="tenantId" hint="不选表示当前所在客户">
            <TenantPicker onlyEnabled create="tenant" />
          </Field>
        )}
        <OriginsField />
      </Form>
    </Modal>
  )
}

const toKeyValues = ({ id, rev, keyName, origins }: AppKeyRow) => ({ id, rev, keyName, origins })

function KeyEditForm({ row, onClose }: FormProps & { row: AppKeyRow }) {
  const { modal, form } = useFormModal(appKeys.update, {
    onClose,
    initial: toKeyValues(row),
    latest: async () => toKeyValues(await call(appKeys.get, { id: row.id })),
  })
  return (
    <Modal title={`编辑App密钥「${row.keyName}」`} {...modal}>
      <Form {...form}>
        <TextField of={AppKeyInput} name="keyName" />
        <OriginsField />
      </Form>
    </Modal>
  )
}

const { item: eventItem, wide: wideEventItem } = createDescriptions(HookEventRow)
const EVENT_ITEMS = [
  eventItem('eventId'),
  eventItem('type', (type) => EVENT_TYPE[type as keyof typeof EVENT_TYPE] ?? type),
  eventItem('hookName'),
  eventItem('result', (result) => <ResultTag result={result} />),
  eventItem('attempts'),
  eventItem('createTime', time),
  eventItem('updateTime', time),
  wideEventItem('message'),
]

/** Event drawer: result and the body as the shop sent it. */
export function EventDrawer(props: {
  rows: readonly HookEventRow[]
  row: HookEventRow | undefined
  onRow(row: HookEventRow | undefined): void
}) {
  return (
    <DetailDrawer {...props} rowKey="id" title={({ outOrderNo }) => `回调 ${outOrderNo}`}>
      {(row) => (
        <>
          <Descriptions row={row} items={EVENT_ITEMS} />
          <section>
            <h3 className="kit-heading">内容</h3>
            <Body key={row.id} id={row.id} />
          </section>
        </>
      )}
    </DetailDrawer>
  )
}

function Body({ id }: { id: number }) {
  const { data, error, refetch } = useRead(storageHooks.event, { id }, { quiet: true, keepPrevious: false })
  if (!data) return <Waiting reads={[{ error, refetch }]} rows={4} />
  return <CodeBlock name="推送内容">{formatted(data.body)}</CodeBlock>
}

function formatted(body: string) {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body
  }
}
