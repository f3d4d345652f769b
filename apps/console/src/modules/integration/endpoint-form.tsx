import {
  ENDPOINT_KIND,
  EndpointChange,
  EndpointInput,
  type EndpointKind,
  type EndpointRow,
  EVENT_TYPES,
  webhooks,
} from '@oms/contract/integration/webhook.ts'
import { Form, Input, Modal, Select } from 'antd'
import type * as z from 'zod'
import { call, readFresh } from '#core/api/client.ts'
import { Field, SelectField, TextField } from '#kit/form/field.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import type { Secret } from './endpoint-list.page.tsx'

interface FormProps {
  readonly onClose: () => void
}

/** Creates or edits an endpoint. */
export function EndpointForm({
  row,
  onClose,
  onSecret,
}: FormProps & { row: EndpointRow | 'new'; onSecret(secret: Secret): void }) {
  if (row === 'new') return <NewEndpoint onClose={onClose} onSecret={onSecret} />
  const read = () => readFresh(webhooks.get, { id: row.id }, row)
  return (
    <FreshRecord of={row.id} read={read} title="编辑消息推送" onClose={onClose}>
      {(fresh) => <EditEndpoint row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

const KIND_OPTIONS = Object.entries(ENDPOINT_KIND).map(([value, label]) => ({ value, label }))
const EVENT_OPTIONS = Object.entries(EVENT_TYPES).map(([value, label]) => ({ value, label }))

type Fields = z.ZodObject<Pick<typeof EndpointInput.shape, 'name' | 'url' | 'secret' | 'events'>>

const URL_HINTS: Readonly<Record<EndpointKind, string>> = {
  webhook: '接收方的地址，建议使用 https://',
  dingtalk: '在钉钉群设置 › 机器人中添加「自定义」机器人后复制',
  feishu: '在飞书群设置 › 群机器人中添加「自定义机器人」后复制',
  wecom: '在企业微信群设置 › 消息推送中添加后复制',
}

/** Fields of the form of a kind. `kept`: masked address and whether a secret is stored, of an endpoint that exists. */
function EndpointFields({ of, kind, kept }: { of: Fields; kind: EndpointKind; kept?: EndpointRow }) {
  const isSigned = kind === 'dingtalk' || kind === 'feishu'
  return (
    <>
      <TextField of={of} name="name" />
      <Field of={of} name="url" hint={kept ? '不修改请留空' : URL_HINTS[kind]}>
        <Input placeholder={kept?.address ?? ''} autoComplete="off" allowClear />
      </Field>
      {isSigned && (
        <Field of={of} name="secret" hint={kept?.hasSecret ? '已设置，不修改请留空' : '机器人启用「加签」时填写'}>
          <Input.Password placeholder={kept?.hasSecret ? '••••••••' : ''} autoComplete="new-password" />
        </Field>
      )}
      <Field of={of} name="events">
        <Select mode="multiple" options={EVENT_OPTIONS} optionFilterProp="label" placeholder="请选择事件" allowClear />
      </Field>
    </>
  )
}

function NewEndpoint({ onClose, onSecret }: FormProps & { onSecret(secret: Secret): void }) {
  const { modal, form } = useFormModal(webhooks.create, {
    onClose,
    initial: { kind: 'webhook', events: [] },
    onSaved: ({ secret }, { name }) => secret && onSecret({ name, secret }),
    // A secret that was typed before the kind changed is not sent.
    input: (values) =>
      (values.kind === 'dingtalk' || values.kind === 'feishu' ? values : { ...values, secret: '' }) as never,
  })
  const kind = (Form.useWatch('kind', form.form) as EndpointKind | undefined) ?? 'webhook'
  return (
    <Modal title="新增消息推送" {...modal}>
      <Form {...form}>
        <SelectField of={EndpointInput} name="kind" options={KIND_OPTIONS} />
        <EndpointFields of={EndpointInput as unknown as Fields} kind={kind} />
      </Form>
    </Modal>
  )
}

const toValues = ({ id, rev, name, events }: EndpointRow) => ({ id, rev, name, events, url: '', secret: '' }) as never

function EditEndpoint({ row, onClose }: FormProps & { row: EndpointRow }) {
  const { modal, form } = useFormModal(webhooks.update, {
    onClose,
    initial: toValues(row),
    latest: async () => toValues(await call(webhooks.get, { id: row.id })),
  })
  return (
    <Modal title={`编辑${ENDPOINT_KIND[row.kind]}「${row.name}」`} {...modal}>
      <Form {...form}>
        <EndpointFields of={EndpointChange as unknown as Fields} kind={row.kind} kept={row} />
      </Form>
    </Modal>
  )
}
