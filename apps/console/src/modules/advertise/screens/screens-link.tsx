import { DesktopOutlined } from '@ant-design/icons'
import { adScreens } from '@oms/contract/advertise/screen.ts'
import { useCan, useMayCall } from '#core/auth/session.tsx'
import { Link } from '#core/routing/router.tsx'
import '../advertise.css'

const SCREENS_PATH = '/advertiseManage/ProgramList/screens'

/** Link to the screens that play ads. */
export function ScreensLink() {
  if (!useCan()('advertiseManage:ProgramList:query')) return null
  return (
    <Link to={SCREENS_PATH} className="kit-row">
      <DesktopOutlined aria-hidden /> 屏幕
    </Link>
  )
}

/** Names the page where screens are paired, as a link for accounts that may pair screens. */
export const PairingLink = () =>
  useMayCall()(adScreens.pair) ? (
    <Link to={SCREENS_PATH} className="ad-pairing-link">
      去配对
    </Link>
  ) : (
    <>联系管理屏幕的人员配对</>
  )
