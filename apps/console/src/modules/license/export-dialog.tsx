import { licenseCerts } from '@oms/contract/license.ts'
import { EXPORT_FORMATS } from '@oms/contract/kernel/transfer.ts'
import { Alert, Checkbox, Form, Modal, Radio } from 'antd'
import { useState } from 'react'
import { fetchFile } from '#kernel/download.ts'
import { useCan } from '#kernel/session.tsx'
import { toast } from '#kernel/toast.ts'
import { focusOpened } from '#kit/focus-first.ts'
import { NoteField } from '#kit/field.tsx'
import { showJob } from '#kit/show-job.ts'
import './license.css'

/** Exports the list as it is filtered; why stands in the log, and whole UIDs take a right of their own. */
export function ExportDialog({ query, onClose }: { query: object; onClose(): void }) {
  const can = useCan()
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
      afterOpenChange={focusOpened}
    >
      <p className="license-hint">按当前筛选条件与排序导出；密钥不会导出，UID 默认以掩码显示。</p>
      <Form name="license-export" layout="vertical" initialValues={{ format: 'xlsx', reason: '' }} onFinish={run}>
        <NoteField of={licenseCerts.export.input} name="reason" rows={3} />
        <Form.Item name="format" label="文件格式">
          <Radio.Group options={EXPORT_FORMATS.map((value) => ({ value, label: value }))} />
        </Form.Item>
      </Form>
      {can(licenseCerts.exportPlain.access) && (
        <Checkbox checked={plain} onChange={({ target }) => setPlain(target.checked)}>
          导出完整 UID
        </Checkbox>
      )}
      {plain && (
        <Alert type="warning" showIcon style={{ marginTop: 12 }} title="完整 UID 可用于连接设备，请妥善保管文件" />
      )}
    </Modal>
  )
}
