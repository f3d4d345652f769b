import { OneTimeSecret } from '#kit/feedback/one-time-secret.tsx'

/** The first administrator of a new tenant. */
export interface Administrator {
  readonly account: string
  readonly password: string
}

/** Shows the one-time password of a new tenant's administrator. */
export const AdministratorSecret = ({ account, password, onClose }: Administrator & { onClose(): void }) => (
  <OneTimeSecret
    title="客户已新增"
    owner="首位管理员"
    account={account}
    label="一次性密码"
    secret={password}
    hint="请通过安全的方式转交客户管理员。首次登录后必须修改密码。"
    onClose={onClose}
  />
)
