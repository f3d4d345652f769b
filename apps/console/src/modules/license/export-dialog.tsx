import { licenseCerts } from '@oms/contract/license/license.ts'
import { EXPORT_FORMATS } from '@oms/contract/core/transfer.ts'
import { Alert, Checkbox, Form, Modal, Radio } from 'antd'
import { useState } from 'react'
import { fetchFile } from '#core/api/download.ts'
import { useCan } from '#core/auth/session.tsx'
import { toast } from '#core/loading/toast.ts'
import { focusFirstFieldOnOpen } from '#kit/form/save/focus-first.ts'
import { NoteField } from '#kit/form/field.tsx'
import { showJob } from '#kit/jobs/show-job.ts'

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
