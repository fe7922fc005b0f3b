// What richtext.js of the console takes from ProseMirror; vendor.py makes one file of it.
export { toggleMark } from "prosemirror-commands";
export { keydownHandler } from "prosemirror-keymap";
export { DOMParser, DOMSerializer, Schema } from "prosemirror-model";
export { EditorState, Plugin, TextSelection } from "prosemirror-state";
export { EditorView } from "prosemirror-view";
