import { createElement } from './dom.ts'

/** Returns a full-screen picture with a sentence and a small second line. */
export function createMessagePicture(sentence: string, detail = '') {
  const picture = createElement(
    'section',
    'message-picture',
    createElement('div', 'message-mark'),
    createElement('p', '', sentence),
  )
  picture.setAttribute('role', 'status')
  if (detail !== '') picture.append(createElement('small', '', detail))
  return picture
}
