import { Spin } from 'antd'

/** The one overlay while files are on their way. */
export function Uploading({ pending }: { pending: number }) {
  return pending > 0 ? <Spin fullscreen description={`正在上传，还剩 ${pending} 个文件…`} /> : null
}
