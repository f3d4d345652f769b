import { DesktopOutlined } from '@ant-design/icons'
import { useCan } from '#core/auth/session.tsx'
import { Link } from '#core/routing/router.tsx'
import './screen.css'

/** Link to the screens that play ads. */
export function ScreensLink() {
  if (!useCan()('advertiseManage:ProgramList:query')) return null
  return (
    <Link to="/advertiseManage/ProgramList/screens" className="ad-screens-link">
      <DesktopOutlined aria-hidden /> 屏幕
    </Link>
  )
}
