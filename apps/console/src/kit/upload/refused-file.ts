import { toast } from '#core/loading/toast.ts'

/** Shows why a chosen file is refused, and which earlier file stays chosen. */
export const showRefusedFile = (problem: string, kept: File | undefined) =>
  toast.error(kept ? `${problem} 已保留之前选择的「${kept.name}」。` : problem)
