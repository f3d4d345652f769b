import { toast } from '#core/loading/toast.ts'

/** Copies text to the clipboard and shows whether the copying succeeded. */
export async function copyToClipboard(text: string) {
  if (await writeClipboard(text)) toast.success('已复制')
  else toast.warning('复制失败，请手动复制')
}

/** Copies text. The clipboard API requires https or localhost; elsewhere `execCommand` is used. */
async function writeClipboard(text: string) {
  if (navigator.clipboard)
    return navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    )
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  return done
}
