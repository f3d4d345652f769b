import { account } from '@oms/contract/account/account.ts'
import { optional, textLine } from '@oms/contract/core/fields.ts'
import { accountName, email, mobileNo } from '@oms/contract/account/account-fields.ts'
import { Button, Form, Input } from 'antd'
import { computeMd5 } from '#core/auth/md5.ts'
import { leaveNote } from '#core/routing/leave-page.ts'
import { countCode, countTrimmedText } from '#kit/form/text-limit.ts'
import {
  CaptchaField,
  useCaptcha,
  buildFieldRules,
  PasswordField,
  RepeatField,
  PublicPageLayout,
  useSubmit,
} from './account-form.tsx'

interface Values {
  account: string
  realname: string
  password: string
  mobileNo?: string
  email?: string
  captcha: string
}

const DONE = account.register.done

export default function RegisterPage() {
  const [form] = Form.useForm<Values>()
  const { captchaId, svg, renew } = useCaptcha()
  const { submit, busy } = useSubmit(account.register, form, { pswdMd5: 'password', captchaId: 'captcha' })
  const onFinish = ({ account, realname, password, mobileNo, email, captcha }: Values) =>
    submit(
      { account, realname, mobileNo, email, captcha, captchaId, pswdMd5: computeMd5(password.trim()) },
      () => {
        leaveNote(DONE)
        setTimeout(() => location.assign('/login'), 1200)
      },
      renew,
    )
  return (
    <PublicPageLayout title="注册账号" subtitle="注册后由管理员审批并分配权限">
      <Form name="register" form={form} layout="vertical" onFinish={onFinish} requiredMark scrollToFirstError>
        <Form.Item name="account" label="账号" required rules={[buildFieldRules(accountName)]}>
          <Input autoFocus maxLength={30} autoComplete="username" autoCapitalize="off" />
        </Form.Item>
        <Form.Item name="realname" label="姓名" required rules={[buildFieldRules(textLine('姓名', 15))]}>
          <Input maxLength={15} autoComplete="name" />
        </Form.Item>
        <PasswordField name="password" label="密码" missing="请输入密码" kind="new" />
        <RepeatField of="password" label="确认密码" />
        <ContactFields />
        <CaptchaField svg={svg} renew={renew} />
        <Button type="primary" htmlType="submit" size="large" block loading={busy}>
          注册
        </Button>
      </Form>
      <p style={{ margin: '20px 0 0', textAlign: 'center' }}>
        已有账号？<a href="/login">返回登录</a>
      </p>
    </PublicPageLayout>
  )
}

const ContactFields = () => (
  <>
    <Form.Item name="mobileNo" label="手机号" rules={[buildFieldRules(optional(mobileNo))]}>
      <Input {...countCode(20)} autoComplete="tel" inputMode="tel" />
    </Form.Item>
    <Form.Item name="email" label="邮箱" rules={[buildFieldRules(optional(email))]}>
      <Input {...countTrimmedText(50)} autoComplete="email" inputMode="email" />
    </Form.Item>
  </>
)
