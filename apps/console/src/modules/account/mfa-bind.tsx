import { account } from '@oms/contract/account/account.ts'
import { useQuery } from '@tanstack/react-query'
import { Button, Form, Input, Skeleton, Typography } from 'antd'
import { countCode, removeBlanks } from '#kit/form/text-limit.ts'
import { useSubmit } from './use-submit.ts'

const SIZE = 200

interface Props {
  readonly secret: string
  readonly url: string
  readonly onBound: (codes: readonly string[]) => void
}

/** Shows the secret as QR code and text, and verifies a code of the authenticator application. */
export function MfaBind({ secret, url, onBound }: Props) {
  const [form] = Form.useForm<{ totp: string }>()
  const { submit, busy } = useSubmit(account.mfaVerify, form)
  return (
    <div className="mfa-bind kit-row">
      <QrCode url={url} />
      <Form
        name="mfa-verify"
        form={form}
        layout="vertical"
        style={{ maxWidth: 400 }}
        onFinish={({ totp }) => submit({ totp }, ({ recoveryCodes }) => onBound(recoveryCodes))}
      >
        <p style={{ marginTop: 0 }}>1. 用验证器应用扫描二维码；无法扫描时手动输入密钥：</p>
        <Typography.Text code copyable style={{ overflowWrap: 'anywhere' }}>
          {secret}
        </Typography.Text>
        <p>2. 输入应用中显示的 6 位动态验证码：</p>
        <Form.Item
          name="totp"
          label="动态验证码"
          normalize={removeBlanks}
          rules={[{ required: true, whitespace: true, message: '请输入动态验证码' }]}
        >
          <Input {...countCode(8)} inputMode="numeric" autoComplete="one-time-code" />
        </Form.Item>
        <Button type="primary" htmlType="submit" loading={busy}>
          启用两步验证
        </Button>
      </Form>
    </div>
  )
}

function QrCode({ url }: { url: string }) {
  const { data: picture } = useQuery({
    queryKey: ['qr', url],
    queryFn: async () => (await import('qrcode')).toDataURL(url, { width: SIZE * 2, margin: 2 }),
    gcTime: 0,
  })
  return picture ? (
    <img src={picture} width={SIZE} height={SIZE} alt="绑定两步验证的二维码" />
  ) : (
    <Skeleton.Node active style={{ width: SIZE, height: SIZE }} />
  )
}
