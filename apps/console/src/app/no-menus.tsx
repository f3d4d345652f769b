import { Button } from 'antd'
import { logOut } from './leave.ts'
import { NoticePage } from './notice-page.tsx'

/** An account that may see nothing yet: said plainly, with the way out. */
export const NoMenus = () => (
  <NoticePage title="暂无可用菜单，请联系管理员">
    <Button type="primary" onClick={() => void logOut()}>
      退出登录
    </Button>
  </NoticePage>
)
