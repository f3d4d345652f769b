import { MAX_GROUPS_OF_DEVICE } from '@oms/contract/device/device-group.ts'
import { devices } from '@oms/contract/device/device-info.ts'
import type { BatchReport } from '@oms/contract/core/transfer.ts'
import { Button, Form, Modal, Radio } from 'antd'
import { useRef, useState } from 'react'
import type * as z from 'zod'
import { dialogs } from '#core/loading/overlays.ts'
import { useUnsaved } from '#core/routing/tab.tsx'
import { saveSecretTable } from '#kit/feedback/save-secrets.ts'
import { Field } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { TenantPicker } from '#kit/pickers/tenant-picker.tsx'
import { GroupPicker } from './device-pickers.tsx'
import { TagsField } from './tags-field.tsx'

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
