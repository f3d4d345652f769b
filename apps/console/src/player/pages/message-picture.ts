import { element } from './dom.ts'

/** Returns a full-screen picture with a sentence and a small second line. */
export function messagePicture(sentence: string, detail = '') {
  const picture = element('section', 'message-picture', element('div', 'message-mark'), element('p', '', sentence))
  picture.setAttribute('role', 'status')
  if (detail !== '') picture.append(element('small', '', detail))
  return picture
}
