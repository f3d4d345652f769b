import { Alert, Button, Space } from 'antd'
import { saveBlob } from '#core/api/download.ts'
import { useUnsaved } from '#core/routing/tab.tsx'

/** Shows the recovery codes once; closing without saving them asks for confirmation. */
export function RecoveryCodes({ codes, onDone }: { codes: readonly string[]; onDone: () => void }) {
  useUnsaved(true)
  const keep = () => saveBlob(new Blob([codes.join('\r\n')], { type: 'text/plain' }), '恢复码.txt')
  return (
    <>
      <Alert
        type="warning"
        showIcon
        style={{ marginBottom: 16 }}
        title="请妥善保存恢复码。手机丢失时可用它登录，每个恢复码只能使用一次，此后不再显示。"
      />
      <ul className="mfa-codes">
        {codes.map((code) => (
          <li key={code}>{code}</li>
        ))}
      </ul>
      <Space>
        <Button onClick={keep}>下载恢复码</Button>
        <Button type="primary" onClick={onDone}>
          我已保存
        </Button>
      </Space>
    </>
  )
}
