const MAX_BYTES = 2 * 1024 * 1024

/** Returns the specification's error for a chosen avatar; undefined for a valid picture. */
export function checkAvatar({ name, size }: Pick<File, 'name' | 'size'>) {
  if (!/\.(jpe?g|png)$/i.test(name)) return '上传头像图片只能是 JPG,JEPG,PNG 格式!'
  if (name.includes(',')) return '文件名不正确，不能包含英文逗号!'
  return size >= MAX_BYTES ? '上传头像图片大小不能超过 2MB!' : undefined
}
