import { Button, Spin } from 'antd'
import type { ReactNode } from 'react'

/** The part of a query result that a select shows. */
export interface OptionsQuery {
  readonly isFetching: boolean
  readonly error: unknown
  refetch(): unknown
}

/** Returns the content of a select without options: a spinner, the failure with a retry, or `emptyText`. */
export function renderNoOptions({ isFetching, error, refetch }: OptionsQuery, emptyText: ReactNode = '没有找到') {
  if (isFetching) return <Spin size="small" />
  return error ? <OptionsFailed retry={refetch} /> : emptyText
}

/**
 * Text of a select whose options could not be loaded, with a retry. Pressing the button keeps the focus in the select,
 * so the list stays open.
 */
const OptionsFailed = ({ retry }: { retry(): unknown }) => (
  <span role="alert">
    <span>选项加载失败</span>
    <Button type="link" size="small" onMouseDown={(event) => event.preventDefault()} onClick={() => void retry()}>
      重试
    </Button>
  </span>
)
