import { licenseCerts } from '@oms/contract/license/license.ts'
import type { LicenseRow } from '@oms/contract/license/license-rows.ts'
import { type BatchReport, EXPORT_FORMATS } from '@oms/contract/core/transfer.ts'
import { Form, Modal, Alert, Checkbox, Radio, Button, InputNumber, Skeleton } from 'antd'
import type * as z from 'zod'
import { NoteField, TextField, Field } from '#kit/form/field.tsx'
import { useFormModal } from '#kit/form/use-form-modal.ts'
import { LICENSE_STEP_DIALOGS, type StepName, useVendorLabels } from './license.tsx'
import { dialogs } from '#core/loading/overlays.ts'
import { useRef, useState } from 'react'
import { CopyText } from '#kit/record/copy-text.tsx'
import { fetchFile } from '#core/api/download.ts'
import { useCan, useMayCall } from '#core/auth/session.tsx'
import { toast } from '#core/loading/toast.ts'
import { focusFirstFieldOnOpen } from '#kit/form/save/focus-first.ts'
import { showJob } from '#kit/jobs/show-job.ts'
import { SHARED_DATA_MESSAGE } from '@oms/contract/core/shared-data.ts'
import { LOW_STOCK_PERCENT, type TenantStatRow } from '@oms/contract/license/license-statistics.ts'
import { useRead, useWrite } from '#core/api/query.ts'
import { LoadFailed } from '#kit/table/table-state.tsx'
import '#kit/record/details.css'

type Report = z.output<typeof BatchReport>

/** Lists the skipped certificates of a batch with reasons. */
function reportTo(onDone?: () => void) {
  return ({ done, failed }: Report) => {
    onDone?.()
    if (failed.length === 0) return
    dialogs.warning({
      title: `成功 ${done} 个，失败 ${failed.length} 个`,
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

/** Runs a state transition on certificates with a reason. */
export function StepDialog(props: {
  step: StepName
  rows: readonly LicenseRow[]
  onClose(): void
  onDone?: () => void
}) {
  const { step, rows, onClose, onDone } = props
  const { label, to, hint } = LICENSE_STEP_DIALOGS[step]
  const report = reportTo(onDone)
  const { modal, form } = useFormModal(to, {
    onClose,
    onSaved: report,
    initial: { ids: rows.map(({ id }) => id), reason: '' },
  })
  const which = rows.length === 1 ? rows[0]!.uid : `${rows.length} 个证书`
  return (
    <Modal
      title={`${label} ${which}`}
      {...modal}
      okText={label}
      okButtonProps={{ ...modal.okButtonProps, danger: step === 'scrap' }}
    >
      <p className="kit-hint">{hint}</p>
      <Form {...form}>
        <NoteField of={to.input} name="reason" rows={3} />
      </Form>
    </Modal>
  )
}

export function BindDialog({ row, onClose }: { row: LicenseRow; onClose(): void }) {
  const { modal, form } = useFormModal(licenseCerts.bind, {
    onClose,
    initial: { id: row.id },
    alsoChanges: ['device'],
  })
  return (
    <Modal title={`绑定设备 ${row.uid}`} {...modal} okText="绑定">
      <p className="kit-hint">只能绑定到客户「{row.tenantName}」的设备；一台设备只能持有一个证书。</p>
      <Form {...form}>
        <TextField of={licenseCerts.bind.input} name="sn" />
      </Form>
    </Modal>
  )
}

/** Shows a full UID and its key once, after a reason was entered. */
export function RevealKeyDialog({ row, onClose }: { row: LicenseRow; onClose(): void }) {
  const [shown, setShown] = useState<{ uid: string; key: string }>()
  const isRevealed = useRef(false)
  const reveal = (secret: { uid: string; key: string }) => {
    isRevealed.current = true
    setShown(secret)
  }
  // In a hidden tab the form calls `close` at once. The dialog ignores this call, and shows the secret until the user
  // closes the dialog.
  const close = () => {
    if (!isRevealed.current) onClose()
  }
  if (shown) return <Shown uid={shown.uid} licenseKey={shown.key} onClose={onClose} />
  return <Asked row={row} onShown={reveal} onClose={close} />
}

function Asked(props: { row: LicenseRow; onShown(shown: { uid: string; key: string }): void; onClose(): void }) {
  const { row, onShown, onClose } = props
  const { modal, form } = useFormModal(licenseCerts.reveal, {
    onClose,
    onSaved: onShown,
    initial: { id: row.id, reason: '' },
  })
  return (
    <Modal title={`查看明文 ${row.uid}`} {...modal} okText="查看">
      <Alert type="warning" showIcon title="每次查看都会记录查看人与原因" style={{ marginBottom: 16 }} />
      <Form {...form}>
        <NoteField of={licenseCerts.reveal.input} name="reason" rows={3} />
      </Form>
    </Modal>
  )
}

function Shown({ uid, licenseKey, onClose }: { uid: string; licenseKey: string; onClose(): void }) {
  return (
    <Modal
      open
      title="证书明文"
      closable={false}
      keyboard={false}
      cancelButtonProps={{ style: { display: 'none' } }}
      okText="关闭"
      onOk={onClose}
    >
      <Alert type="info" showIcon title="仅本次显示，再次查看需重新填写原因" style={{ marginBottom: 16 }} />
      <dl className="kit-details">
        <div className="kit-wide kit-secret">
          <dt>UID</dt>
          <dd>
            <CopyText text={uid} />
          </dd>
        </div>
        <div className="kit-wide kit-secret">
          <dt>密钥</dt>
          <dd>{licenseKey ? <CopyText text={licenseKey} /> : '导入时没有密钥'}</dd>
        </div>
      </dl>
    </Modal>
  )
}

/** Exports the filtered list; the log records the reason, and full UIDs require a separate permission. */
export function ExportDialog({ query, onClose }: { query: object; onClose(): void }) {
  const [busy, setBusy] = useState(false)
  const [plain, setPlain] = useState(false)
  const run = async ({ reason, format }: { reason: string; format: 'xlsx' | 'csv' }) => {
    setBusy(true)
    const to = plain ? licenseCerts.exportPlain : licenseCerts.export
    const name = plain ? 'P2P证书明文' : 'P2P证书'
    const result = await fetchFile(to, { ...query, reason, format } as never, `${name}.${format}`)
    setBusy(false)
    if (result.kind === 'refused') return toast.error(result.message)
    if (result.kind === 'saved') toast.success('导出完成')
    else showJob(result.jobId, result.message)
    onClose()
  }
  return (
    <Modal
      open
      title="导出证书"
      okText="导出"
      cancelText="取消"
      confirmLoading={busy}
      okButtonProps={{ htmlType: 'submit', form: 'license-export' }}
      onCancel={onClose}
      afterOpenChange={focusFirstFieldOnOpen}
    >
      <p className="kit-hint">按当前筛选条件与排序导出；密钥不会导出，UID 默认以掩码显示。</p>
      <Form name="license-export" layout="vertical" initialValues={{ format: 'xlsx', reason: '' }} onFinish={run}>
        <NoteField of={licenseCerts.export.input} name="reason" rows={3} />
        <Form.Item name="format" label="文件格式">
          <Radio.Group options={EXPORT_FORMATS.map((value) => ({ value, label: value }))} />
        </Form.Item>
      </Form>
      <PlainChoice plain={plain} onPlain={setPlain} />
    </Modal>
  )
}

/** Checkbox for full UIDs with a warning. The checkbox requires a permission. */
function PlainChoice({ plain, onPlain }: { plain: boolean; onPlain(plain: boolean): void }) {
  const can = useCan()
  return (
    <>
      {can(licenseCerts.exportPlain.access) && (
        <Checkbox checked={plain} onChange={({ target }) => onPlain(target.checked)}>
          导出完整 UID
        </Checkbox>
      )}
      {plain && (
        <Alert type="warning" showIcon style={{ marginTop: 12 }} title="完整 UID 可用于连接设备，请妥善保管文件" />
      )}
    </>
  )
}

/** Sets the low-stock thresholds per vendor. */
export function ThresholdDialog({ onClose }: { onClose(): void }) {
  const { data, error, refetch } = useRead(licenseCerts.thresholds, {}, { keepPrevious: false, quiet: true })
  const maySave = useMayCall()(licenseCerts.saveThreshold)
  return (
    <Modal open title="库存预警设置" footer={null} onCancel={onClose} afterOpenChange={focusFirstFieldOnOpen}>
      <p className="kit-hint">库存低于预警数量时，向拥有证书详情权限的人员发送一次站内消息；填 0 表示不预警。</p>
      {!maySave && <p className="kit-hint">{SHARED_DATA_MESSAGE}。</p>}
      {data ? (
        <table className="kit-table">
          <thead>
            <tr>
              <th>厂商</th>
              <th className="kit-number">当前库存</th>
              <th>预警数量</th>
              <th>操作</th>
            </tr>
          </thead>
          <tbody>
            {data.list.map((row) => (
              <Line key={row.vendor} {...row} />
            ))}
          </tbody>
        </table>
      ) : error ? (
        <LoadFailed refusal={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton active title={false} />
      )}
    </Modal>
  )
}

function Line({ vendor, threshold, stock }: { vendor: number; threshold: number; stock: number }) {
  const [value, setValue] = useState<number | null>(threshold)
  const save = useWrite(licenseCerts.saveThreshold)
  const name = useVendorLabels().label(vendor)
  const maySave = useMayCall()(licenseCerts.saveThreshold)
  return (
    <tr>
      <td>{name}</td>
      <td className="kit-number">{stock.toLocaleString()}</td>
      <td>
        <InputNumber
          aria-label={`${name}预警数量`}
          min={0}
          max={10_000_000}
          precision={0}
          value={value}
          onChange={setValue}
          disabled={!maySave}
          style={{ width: '100%' }}
        />
      </td>
      <td>
        <Button
          size="small"
          type="link"
          loading={save.isPending}
          disabled={!maySave || value === null || value === threshold}
          onClick={() => save.mutate({ vendor, threshold: value ?? 0 } as never)}
        >
          保存
        </Button>
      </td>
    </tr>
  )
}

/** Sets the low-stock threshold of one tenant. */
export function TenantThreshold({ row, onClose }: { row: TenantStatRow; onClose(): void }) {
  const { tenantId, tenantName, threshold } = row
  const { modal, form } = useFormModal(licenseCerts.saveTenantThreshold, {
    onClose,
    initial: { tenantId, threshold: threshold ?? undefined },
    input: ({ threshold: given }) => ({ tenantId, ...(typeof given === 'number' && { threshold: given }) }),
  })
  return (
    <Modal title={`「${tenantName}」的库存预警`} {...modal}>
      <p className="kit-hint">
        未使用的证书低于预警数量时，向该客户和平台拥有证书详情权限的人员发送一次站内消息。不填则为累计持有的{' '}
        {LOW_STOCK_PERCENT}
        %，填 0 不预警。
      </p>
      <Form {...form}>
        <Field of={licenseCerts.saveTenantThreshold.input} name="threshold">
          <InputNumber
            min={0}
            max={10_000_000}
            precision={0}
            placeholder={`累计持有的 ${LOW_STOCK_PERCENT}%`}
            style={{ width: '100%' }}
          />
        </Field>
      </Form>
    </Modal>
  )
}
