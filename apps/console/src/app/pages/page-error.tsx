import { Component, type ReactNode } from 'react'
import { findErrorMessage } from '#core/api/client.ts'
import { ChunkError } from '#core/loading/load-chunk.ts'
import { ActionButton } from '#app/action-button.tsx'
import { ErrorPage } from './error-page.tsx'

interface Props {
  readonly children: ReactNode
  readonly onRetry: () => void
}

/** Error boundary of a page: shows the error and a retry button in its tab; other tabs are unaffected. */
export class PageErrorBoundary extends Component<Props, { error: unknown }> {
  override state = { error: undefined as unknown }

  static getDerivedStateFromError(error: unknown) {
    return { error }
  }

  override render() {
    const { error } = this.state
    return error === undefined ? this.props.children : <PageFailed error={error} onRetry={this.props.onRetry} />
  }
}

function PageFailed({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const missing = error instanceof ChunkError
  return (
    <ErrorPage
      drawing={missing ? 'offline' : 'error'}
      title={missing ? '页面加载失败' : '页面出错了'}
      hint={missing ? '网络不稳定，或者系统已经更新。请重试，仍然失败时请刷新浏览器。' : findErrorMessage(error)}
    >
      <ActionButton primary onClick={onRetry}>
        重试
      </ActionButton>
      <ActionButton onClick={() => location.reload()}>刷新浏览器</ActionButton>
    </ErrorPage>
  )
}
