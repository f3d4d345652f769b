import { devices } from '@oms/contract/device/device-info.ts'
import { DeviceInput, type DeviceRow, MAX_TAGS } from '@oms/contract/device/device-row.ts'
import { Drawer, Form, Button, Modal, Radio, Select, Input } from 'antd'
import { call, readFresh } from '#core/api/client.ts'
import type { CreateFormProps } from '#core/routing/create-forms.ts'
import { DigitsField, Field, NoteField, TextField, type FieldOf, type FieldOptions } from '#kit/form/field.tsx'
import { DateField } from '#kit/form/field-date.tsx'
import { MoreFields } from '#kit/form/more-fields.tsx'
import { FormFooter } from '#kit/form/form-footer.tsx'
import { FreshRecord } from '#kit/form/fresh-record.tsx'
import { useFormDrawer, useFormModal } from '#kit/form/use-form-modal.ts'
import { DeviceModelPicker } from '#kit/pickers/model-picker.tsx'
import { TenantPicker, useHasManyTenants } from '#kit/pickers/tenant-picker.tsx'
import { MAX_GROUPS_OF_DEVICE } from '@oms/contract/device/device-group.ts'
import type { BatchReport } from '@oms/contract/core/transfer.ts'
import { useRef, useState } from 'react'
import type * as z from 'zod'
import { dialogs } from '#core/loading/overlays.ts'
import { useUnsaved } from '#core/routing/tab.tsx'
import { saveSecretTable } from '#kit/feedback/save-secrets.ts'
import { GroupPicker } from './device.tsx'
import { splitCodes } from '@oms/contract/core/normalize-line.ts'
import { MAX_SNS } from '@oms/contract/device/device-fields.ts'
import { saveBlob } from '#core/api/download.ts'
import { CodeBlock } from '#kit/record/code-block.tsx'

/** Form that creates a device. A select of devices passes `onCreated` to receive the new device. */
export function DeviceAddForm({ onClose, onCreated }: Pick<CreateFormProps, 'onClose'> & Partial<CreateFormProps>) {
  const { drawer, footer, form } = useFormDrawer(devices.create, {
    onClose,
    onSaved: ({ id }, { sn }) => onCreated?.({ id, name: sn }),
  })
  const many = useHasManyTenants()
  return (
    <Drawer title="新增设备" {...drawer} footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <TextField of={DeviceInput} name="sn" example="C302528002000" hint="与标签、二维码一致；创建后不能修改" />
        <TextField of={DeviceInput} name="devName" example="前台摄像机" />
        <Field of={DeviceInput} name="modelId">
          <DeviceModelPicker onlyEnabled create="deviceModel" />
        </Field>
        {many && (
          <Field of={DeviceInput} name="tenantId" hint="不选则归属当前客户">
            <TenantPicker onlyEnabled create="tenant" />
          </Field>
        )}
        <OtherFields />
      </Form>
    </Drawer>
  )
}

export function DeviceEditForm({ row, onClose }: { row: DeviceRow; onClose(): void }) {
  const read = () => readFresh(devices.get, { id: row.id }, row)
  return (
    <FreshRecord of={row.id} read={read} layer="drawer" title="编辑设备" onClose={onClose}>
      {(fresh) => <EditForm row={fresh} onClose={onClose} />}
    </FreshRecord>
  )
}

function EditForm({ row, onClose }: { row: DeviceRow; onClose(): void }) {
  const { drawer, footer, form } = useFormDrawer(devices.update, {
    onClose,
    initial: initialOf(row),
    latest: async () => initialOf(await call(devices.get, { id: row.id })),
  })
  return (
    <Drawer title={`编辑设备 ${row.sn}`} {...drawer} footer={<FormFooter {...footer} />}>
      <Form {...form}>
        <TextField of={DeviceInput} name="devName" />
        <Field of={DeviceInput} name="modelId">
          <DeviceModelPicker onlyEnabled create="deviceModel" chosen={{ id: row.modelId, name: row.modelName }} />
        </Field>
        <OtherFields />
      </Form>
    </Drawer>
  )
}

/** Returns only the fields that the form sends, in the format of its controls. */
const initialOf = (row: DeviceRow) => {
  const { id, rev, devName, modelId, mac, imei, verCode, hwVer, tags, warrantyEnd, remark } = row
  return { id, rev, devName, modelId, mac, imei, verCode: verCode ?? '', hwVer, tags, warrantyEnd, remark }
}

const OPTIONAL = ['mac', 'imei', 'hwVer', 'tags', 'warrantyEnd', 'remark']

const OtherFields = () => (
  <>
    <DigitsField of={DeviceInput} name="verCode" example="3200" hint="设备上报后以上报的为准" />
    <MoreFields names={OPTIONAL}>
      <div className="kit-pair">
        <TextField of={DeviceInput} name="mac" example="1C:2F:00:F1:AB:30" />
        <DigitsField of={DeviceInput} name="imei" />
        <TextField of={DeviceInput} name="hwVer" example="V1.1" />
        <DateField of={DeviceInput} name="warrantyEnd" />
      </div>
      <TagsField of={DeviceInput} name="tags" />
      <NoteField of={DeviceInput} name="remark" rows={3} />
    </MoreFields>
  </>
)

export interface BatchProps {
  readonly ids: readonly number[]
  onClose(): void
  /** Called after a successful batch; clears the selection. */
  onDone(): void
}
type Report = z.output<typeof BatchReport>

/** Lists the skipped devices of a batch with reasons. */
function reportTo(onDone: () => void) {
  return ({ done, failed }: Report) => {
    onDone()
    if (failed.length === 0) return
    dialogs.warning({
      title: `成功 ${done} 台，失败 ${failed.length} 台`,
      okText: '知道了',
      content: (
        <ul className="kit-items kit-report">
          {failed.map(({ id, name, msg }) => (
            <li key={id}>
              <b>{name}</b> {msg}
            </li>
          ))}
        </ul>
      ),
    })
  }
}

export function TagDialog({ ids, onClose, onDone }: BatchProps) {
  const report = reportTo(onDone)
  const { modal, form } = useFormModal(devices.tag, { onClose, onSaved: report, initial: { ids, add: [], remove: [] } })
  const of = devices.tag.input
  return (
    <Modal title={`修改标签（${ids.length} 台）`} {...modal}>
      <Form {...form}>
        <TagsField of={of} name="add" />
        <TagsField of={of} name="remove" hint="没有该标签的设备不受影响" />
      </Form>
    </Modal>
  )
}

export function MoveDialog({ ids, onClose, onDone }: BatchProps) {
  const report = reportTo(onDone)
  const { modal, form } = useFormModal(devices.move, { onClose, onSaved: report, initial: { ids } })
  const of = devices.move.input
  return (
    <Modal title={`移动分组（${ids.length} 台）`} {...modal}>
      <p className="kit-hint">
        只能选择静态分组；动态分组的成员由规则决定。两项都选即从一个分组移到另一个。每台设备最多加入{' '}
        {MAX_GROUPS_OF_DEVICE} 个分组。
      </p>
      <Form {...form}>
        <Field of={of} name="join">
          <GroupPicker kind={1} create="deviceGroup" />
        </Field>
        <Field of={of} name="leave">
          <GroupPicker kind={1} />
        </Field>
      </Form>
    </Modal>
  )
}

export function TransferDialog({ ids, onClose, onDone }: BatchProps) {
  const report = reportTo(onDone)
  const { modal, form } = useFormModal(devices.transfer, { onClose, onSaved: report, initial: { ids } })
  return (
    <Modal title={`转移客户（${ids.length} 台）`} {...modal} okText="转移">
      <p className="kit-hint">
        设备将退出原客户的全部分组与白名单；目标客户的设备数量不能超过其上限，正在升级的设备不转移。
      </p>
      <Form {...form}>
        <Field of={devices.transfer.input} name="tenantId">
          <TenantPicker onlyEnabled create="tenant" />
        </Field>
      </Form>
    </Modal>
  )
}

interface MadeTokens {
  readonly tokens: readonly { readonly sn: string; readonly token: string }[]
  readonly skipped: number
}

/** Creates tokens and downloads them as one file; the server does not store them in readable form. */
export function TokensDialog({ ids, onClose, onDone }: BatchProps) {
  const [made, setMade] = useState<MadeTokens>()
  // The form also sends its close event when the result replaces it. This event must not close the result.
  const isMade = useRef(false)
  const { modal, form } = useFormModal(devices.tokens, {
    onClose: () => {
      if (!isMade.current) onClose()
    },
    initial: { ids, replace: 0 },
    onSaved: (result) => {
      isMade.current = true
      if (result.tokens.length > 0) saveTokens(result)
      setMade(result)
    },
  })
  if (made) {
    const close = () => {
      onClose()
      onDone()
    }
    return <MadeTokensDialog made={made} onClose={close} />
  }
  return (
    <Modal title={`批量生成令牌（${ids.length} 台）`} {...modal} okText="生成并下载">
      <p className="kit-hint">令牌以 CSV 文件下载，只提供这一次；服务器只保存其摘要。</p>
      <Form {...form}>
        <Field of={devices.tokens.input} name="replace">
          <Radio.Group
            options={[
              { value: 0, label: '跳过' },
              { value: 1, label: '重新生成（旧令牌立即失效）' },
            ]}
          />
        </Field>
      </Form>
    </Modal>
  )
}

/** Offers the file of new tokens again, because a browser can block or cancel the first download. */
function MadeTokensDialog({ made, onClose }: { made: MadeTokens; onClose(): void }) {
  const { tokens, skipped } = made
  const hasTokens = tokens.length > 0
  useUnsaved(hasTokens)
  return (
    <Modal
      open
      title={hasTokens ? `已生成 ${tokens.length} 个令牌并下载` : '没有生成令牌'}
      closable={false}
      keyboard={false}
      footer={
        <>
          {hasTokens && <Button onClick={() => saveTokens(made)}>重新下载</Button>}
          <Button type="primary" onClick={onClose}>
            知道了
          </Button>
        </>
      }
    >
      {hasTokens && <p>文件只提供这一次，请确认文件已保存。关闭后无法再下载。</p>}
      {skipped > 0 && <p>跳过 {skipped} 台已有令牌的设备。</p>}
    </Modal>
  )
}

function saveTokens({ tokens }: MadeTokens) {
  const rows = tokens.map(({ sn, token }) => [sn, token])
  saveSecretTable('设备令牌', ['序列号', '设备令牌'], rows)
}

/** Tag input; Enter or a separator ends a tag. */
const TagsField = <S extends z.ZodObject>(props: FieldOf<S> & FieldOptions) => (
  <Field {...props} hint={props.hint ?? `输入后按回车，最多 ${MAX_TAGS} 个，每个不超过 20 个字符`}>
    <Select
      mode="tags"
      open={false}
      suffixIcon={null}
      tokenSeparators={[',', '，', '、', ';', '；', ' ']}
      placeholder="输入标签后按回车"
    />
  </Field>
)

const parts = (text: string) => [...new Set(splitCodes(text))]

/** Returns the reason why the serial numbers cannot be searched, or undefined. */
function problemOf(sns: readonly string[]) {
  const tooMany = sns.length > MAX_SNS
  const tooLong = sns.find((sn) => sn.length > 64)
  return tooMany
    ? `一次最多查找 ${MAX_SNS} 个序列号，现有 ${sns.length} 个`
    : tooLong && `序列号「${tooLong.slice(0, 20)}…」超过 64 个字符`
}

/** Input for serial numbers pasted from a table or mail, one per line. */
export function PasteSerials({
  initial,
  onFind,
  onClose,
}: {
  initial: readonly string[]
  onFind(sns: readonly string[]): void
  onClose(): void
}) {
  const [text, setText] = useState(initial.join('\n'))
  const sns = parts(text)
  const problem = problemOf(sns)
  return (
    <Modal
      open
      title="按序列号批量查找"
      okText="查找"
      cancelText="取消"
      okButtonProps={{ disabled: sns.length === 0 || problem !== undefined }}
      onOk={() => onFind(sns)}
      onCancel={onClose}
    >
      <p className="kit-hint">粘贴序列号，每行一个，也可用逗号、空格分隔；重复的只查一次。</p>
      <Input.TextArea
        autoFocus
        aria-label="序列号列表"
        rows={12}
        value={text}
        {...(problem && { status: 'error' as const })}
        placeholder={'SN20260001\nSN20260002'}
        onChange={({ target }) => setText(target.value)}
      />
      <p className="kit-muted" role="status" style={{ marginTop: 8 }}>
        {problem ?? `共 ${sns.length} 个序列号`}
      </p>
    </Modal>
  )
}

/** Lists the unknown serial numbers, with a copy button. */
export function MissingSerials({ missing, onClose }: { missing: readonly string[]; onClose(): void }) {
  const download = () =>
    saveBlob(new Blob([`\ufeff${missing.join('\r\n')}\r\n`], { type: 'text/csv' }), '未找到的序列号.csv')
  return (
    <Modal
      open
      title={`未找到的序列号（${missing.length}）`}
      onCancel={onClose}
      footer={[
        <Button key="save" onClick={download}>
          下载
        </Button>,
        <Button key="close" type="primary" onClick={onClose}>
          关闭
        </Button>,
      ]}
    >
      <CodeBlock name="未找到的序列号">{missing.join('\n')}</CodeBlock>
    </Modal>
  )
}
