import { toast } from '#core/loading/toast.ts'

/** Copies several lines to the clipboard; selects them when the browser refuses. */
export async function copyLines(text: string) {
  try {
    await navigator.clipboard.writeText(text)
    toast.success('已复制')
  } catch {
    toast.warning('复制失败，请手动复制')
  }
}
