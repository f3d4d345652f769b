import { Component, type ReactNode } from 'react'
import { messageOf } from '#kernel/call.ts'
import { ChunkError } from '#kernel/load-chunk.ts'
import { ActionButton } from './action-button.tsx'
import { NoticePage } from './notice-page.tsx'

interface Props {
  readonly children: ReactNode
  readonly onRetry: () => void
}

/** A page that breaks takes nobody with it: its tab says so and offers another try. */
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
    <NoticePage
      title={missing ? '页面加载失败' : '页面出错了'}
      hint={missing ? '网络不稳定，或者系统已经更新。请重试，仍然失败时请刷新浏览器。' : messageOf(error)}
    >
      <ActionButton primary onClick={onRetry}>
        重试
      </ActionButton>
      <ActionButton onClick={() => location.reload()}>刷新浏览器</ActionButton>
    </NoticePage>
  )
}
