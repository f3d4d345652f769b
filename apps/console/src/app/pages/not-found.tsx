import { useEffect } from 'react'
import { getSession } from '#core/auth/session.tsx'
import { formatWallClock } from '#core/text/format.ts'
import { Drawing } from '#kit/drawing.tsx'
import { copyToClipboard } from '#kit/record/copy-to-clipboard.ts'
import { formatPageTitle } from '#core/theme/page-title.ts'
import { ActionButton } from '#app/action-button.tsx'
import { searchShown } from '#app/search/search-shown.ts'

interface Props {
  /** Number above the heading. */
  readonly code?: 403 | 404
  readonly heading?: string
  readonly hint?: string
  /** Renders a `main` element only outside the console layout, which has its own. */
  readonly as?: 'main' | 'div'
}

/** The specification's error page; also shown without the permission for a page. */
export function NotFound({
  code = 404,
  heading = '错误页面',
  hint = '对不起，您访问的页面不存在。请检查输入的网址是否正确，点击下方按钮返回首页，或者向管理员发送错误报告。',
  as: Part = 'div',
}: Props) {
  useEffect(() => {
    document.title = formatPageTitle(heading)
  }, [heading])
  return (
    <Part className="center-page">
      <div className="error-page">
        <Drawing of={code === 403 ? 'denied' : 'page'} />
        <p className="error-code" aria-hidden="true">
          {code}
        </p>
        <h1>{heading}</h1>
        <p>{hint}</p>
        <p className="error-address">{location.pathname}</p>
        <div className="error-actions">
          <a className="primary-link" href="/">
            返回首页
          </a>
          {code === 404 && (
            <ActionButton onClick={() => void copyToClipboard(buildReport())}>复制错误报告</ActionButton>
          )}
          {Part === 'div' && <ActionButton onClick={() => searchShown.set(true)}>搜索页面和记录</ActionButton>}
        </div>
      </div>
    </Part>
  )
}

/** Returns the facts that an administrator needs to find a wrong link. */
const buildReport = () =>
  [
    '错误：404 页面不存在',
    `网址：${location.href}`,
    `来源：${document.referrer || '-'}`,
    `账号：${getSession()?.account ?? '未登录'}`,
    `时间：${formatWallClock()}`,
    `浏览器：${navigator.userAgent}`,
  ].join('\n')

export const ForbiddenPage = () => (
  <NotFound
    code={403}
    heading="您没有权限！"
    hint="您的账号没有访问此页面的权限。如需开通，请联系管理员；也可以返回首页继续。"
  />
)
