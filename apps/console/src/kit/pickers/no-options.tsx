import { Button, Spin } from 'antd'
import type { ReactNode } from 'react'
import type { ApiError } from '#core/api/client.ts'

/** Request of the options of a select. The request must be quiet, because the list shows its error. */
export interface OptionRead {
  readonly isFetching: boolean
  readonly error?: ApiError | null
  refetch?(): unknown
  /** Text of a list without options. Default: `没有找到`. */
  readonly emptyText?: ReactNode
}

/** Shows in place of options that they are loading, that their request failed, or that none was found. */
export function NoOptions({ isFetching, error, refetch, emptyText = '没有找到' }: OptionRead) {
  if (isFetching) return <Spin size="small" />
  if (!error) return emptyText
  return (
    <span role="alert">
      <span>{error.message || '加载失败'}</span>
      {refetch && (
        <Button type="link" size="small" onClick={() => void refetch()}>
          重试
        </Button>
      )}
    </span>
  )
}
