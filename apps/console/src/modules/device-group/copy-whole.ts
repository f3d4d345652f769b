import { toast } from '#kernel/toast.ts'

/** Puts several lines on the clipboard; where the browser allows none, they can still be marked by hand. */
export async function copyWhole(text: string) {
  try {
    await navigator.clipboard.writeText(text)
    toast.success('已复制')
  } catch {
    toast.warning('复制失败，请手动复制')
  }
}
