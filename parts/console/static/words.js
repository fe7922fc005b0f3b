// The words of the patterns in each language.
const LANGUAGES = ["en", "de", "fr", "es", "it", "nl", "pt", "pl"];
/** @type {Record<string, any[]>} */
const WORDS = {
  hero: [
    ["Win a weekend in the mountains", "Two nights for two. Taking part takes a minute, and costs nothing."],
    ["Ein Wochenende in den Bergen gewinnen", "Zwei Nächte für zwei. Die Teilnahme dauert eine Minute und kostet nichts."],
    ["Gagnez un week-end à la montagne", "Deux nuits pour deux. Participer prend une minute et ne coûte rien."],
    ["Gana un fin de semana en la montaña", "Dos noches para dos. Participar lleva un minuto y no cuesta nada."],
    ["Vinci un fine settimana in montagna", "Due notti per due. Partecipare richiede un minuto e non costa nulla."],
    ["Win een weekend in de bergen", "Twee nachten voor twee. Meedoen duurt een minuut en kost niets."],
    ["Ganhe um fim de semana na montanha", "Duas noites para dois. Participar leva um minuto e não custa nada."],
    ["Wygraj weekend w górach", "Dwie noce dla dwojga. Udział zajmuje minutę i nic nie kosztuje."],
  ],
  join: ["Take part", "Mitmachen", "Participer", "Participar", "Partecipa", "Doe mee", "Participar", "Weź udział"],
  how: ["How it works", "So funktioniert es", "Comment ça marche", "Cómo funciona", "Come funziona", "Zo werkt het", "Como funciona", "Jak to działa"],
  enter: [
    ["1. Take part", "Fill in the form."], ["1. Mitmachen", "Das Formular ausfüllen."], ["1. Participer", "Remplissez le formulaire."], ["1. Participar", "Rellena el formulario."],
    ["1. Partecipa", "Compila il modulo."], ["1. Doe mee", "Vul het formulier in."], ["1. Participar", "Preencha o formulário."], ["1. Weź udział", "Wypełnij formularz."],
  ],
  share: [
    ["2. Share", "Tell a friend."], ["2. Weitersagen", "Freunden davon erzählen."], ["2. Partager", "Parlez-en à un ami."], ["2. Compartir", "Cuéntaselo a un amigo."],
    ["2. Condividi", "Dillo a un amico."], ["2. Deel", "Vertel het een vriend."], ["2. Partilhar", "Conte a um amigo."], ["2. Udostępnij", "Powiedz znajomym."],
  ],
  win: [
    ["3. Win", "We draw the winner on the first day of the month."], ["3. Gewinnen", "Die Auslosung ist am Ersten des Monats."],
    ["3. Gagner", "Le tirage au sort a lieu le premier du mois."], ["3. Ganar", "El sorteo es el primer día del mes."], ["3. Vinci", "L’estrazione è il primo giorno del mese."],
    ["3. Win", "We trekken de winnaar op de eerste dag van de maand."], ["3. Ganhar", "O sorteio é no primeiro dia do mês."], ["3. Wygraj", "Losowanie odbywa się pierwszego dnia miesiąca."],
  ],
  form: ["Take part now", "Jetzt mitmachen", "Participez maintenant", "Participa ahora", "Partecipa ora", "Doe nu mee", "Participe agora", "Weź udział teraz"],
  rules: [
    "Taking part is free and open to everyone aged 18 or over.", "Die Teilnahme ist kostenlos und ab 18 Jahren möglich.", "La participation est gratuite et ouverte à tous à partir de 18 ans.",
    "La participación es gratuita y abierta a mayores de 18 años.", "La partecipazione è gratuita e aperta a tutti dai 18 anni.", "Meedoen is gratis en kan vanaf 18 jaar.",
    "A participação é gratuita e aberta a maiores de 18 anos.", "Udział jest bezpłatny i dostępny od 18 lat.",
  ],
  faq: ["Questions and answers", "Fragen und Antworten", "Questions et réponses", "Preguntas y respuestas", "Domande e risposte", "Vragen en antwoorden", "Perguntas e respostas", "Pytania i odpowiedzi"],
  answers: [
    [["Who can take part?", "Everyone aged 18 or over."], ["What does it cost?", "Nothing."], ["Who is told?", "We write to the winner within a week."]],
    [["Wer kann mitmachen?", "Alle ab 18 Jahren."], ["Was kostet es?", "Nichts."], ["Wer erfährt davon?", "Wir schreiben innerhalb einer Woche, wer gewonnen hat."]],
    [["Qui peut participer ?", "Tout le monde à partir de 18 ans."], ["Combien cela coûte-t-il ?", "Rien."], ["Qui est prévenu ?", "Nous écrivons au gagnant sous une semaine."]],
    [["¿Quién puede participar?", "Todas las personas mayores de 18 años."], ["¿Cuánto cuesta?", "Nada."], ["¿A quién se avisa?", "Escribimos a quien gane en una semana."]],
    [["Chi può partecipare?", "Tutti dai 18 anni."], ["Quanto costa?", "Nulla."], ["Chi viene avvisato?", "Scriviamo a chi vince entro una settimana."]],
    [["Wie kan meedoen?", "Iedereen vanaf 18 jaar."], ["Wat kost het?", "Niets."], ["Wie hoort het?", "We schrijven de winnaar binnen een week."]],
    [["Quem pode participar?", "Todos a partir dos 18 anos."], ["Quanto custa?", "Nada."], ["Quem é avisado?", "Escrevemos a quem ganhar dentro de uma semana."]],
    [["Kto może wziąć udział?", "Każdy od 18 lat."], ["Ile to kosztuje?", "Nic."], ["Kto się dowie?", "Napiszemy do zwycięzcy w ciągu tygodnia."]],
  ],
  said: [
    ["I never win anything, and then I did. Thank you!", "Ada, winner in May"], ["Ich gewinne nie etwas, und dann doch. Danke!", "Ada, gewann im Mai"],
    ["Je ne gagne jamais, et cette fois oui. Merci !", "Ada, gagnante en mai"], ["Nunca gano nada, y esta vez sí. ¡Gracias!", "Ada, ganadora en mayo"],
    ["Non vinco mai niente, e invece questa volta sì. Grazie!", "Ada, vincitrice a maggio"], ["Ik win nooit iets, en nu wel. Bedankt!", "Ada, winnaar in mei"],
    ["Nunca ganho nada, e desta vez ganhei. Obrigada!", "Ada, vencedora em maio"], ["Nigdy nic nie wygrywam, a tym razem tak. Dziękuję!", "Ada, wygrała w maju"],
  ],
  prices: ["Prices", "Preise", "Tarifs", "Precios", "Prezzi", "Prijzen", "Preços", "Cennik"],
  plans: [
    [["Small", "€ 10 a month", "One person", "Answers by e-mail"], ["Medium", "€ 25 a month", "Five people", "Answers within a day"], ["Large", "€ 60 a month", "Everyone", "Answers by telephone"]],
    [["Klein", "10 € im Monat", "Eine Person", "Antworten per E-Mail"], ["Mittel", "25 € im Monat", "Fünf Personen", "Antworten am selben Tag"], ["Groß", "60 € im Monat", "Alle", "Antworten am Telefon"]],
    [["Petit", "10 € par mois", "Une personne", "Réponses par e-mail"], ["Moyen", "25 € par mois", "Cinq personnes", "Réponses en un jour"], ["Grand", "60 € par mois", "Tout le monde", "Réponses par téléphone"]],
    [["Pequeño", "10 € al mes", "Una persona", "Respuestas por correo"], ["Mediano", "25 € al mes", "Cinco personas", "Respuestas en un día"], ["Grande", "60 € al mes", "Todo el equipo", "Respuestas por teléfono"]],
    [["Piccolo", "10 € al mese", "Una persona", "Risposte via e-mail"], ["Medio", "25 € al mese", "Cinque persone", "Risposte entro un giorno"], ["Grande", "60 € al mese", "Tutti", "Risposte al telefono"]],
    [["Klein", "€ 10 per maand", "Eén persoon", "Antwoord per e-mail"], ["Middel", "€ 25 per maand", "Vijf personen", "Antwoord binnen een dag"], ["Groot", "€ 60 per maand", "Iedereen", "Antwoord per telefoon"]],
    [["Pequeno", "10 € por mês", "Uma pessoa", "Respostas por e-mail"], ["Médio", "25 € por mês", "Cinco pessoas", "Respostas num dia"], ["Grande", "60 € por mês", "Todos", "Respostas por telefone"]],
    [["Mały", "10 € miesięcznie", "Jedna osoba", "Odpowiedzi e-mailem"], ["Średni", "25 € miesięcznie", "Pięć osób", "Odpowiedzi w ciągu dnia"], ["Duży", "60 € miesięcznie", "Wszyscy", "Odpowiedzi przez telefon"]],
  ],
  choose: ["Choose", "Wählen", "Choisir", "Elegir", "Scegli", "Kies", "Escolher", "Wybierz"],
  news: [
    ["New this week", "Say in one sentence what is new."], ["Neu in dieser Woche", "In einem Satz sagen, was neu ist."], ["Nouveau cette semaine", "Dites en une phrase ce qui est nouveau."],
    ["Nuevo esta semana", "Di en una frase qué hay de nuevo."], ["Novità della settimana", "Scrivi in una frase che cosa c’è di nuovo."], ["Nieuw deze week", "Zeg in één zin wat er nieuw is."],
    ["Novo esta semana", "Diga numa frase o que há de novo."], ["Nowość w tym tygodniu", "Napisz w jednym zdaniu, co nowego."],
  ],
  more: ["Read more", "Mehr lesen", "En savoir plus", "Leer más", "Leggi di più", "Lees meer", "Saber mais", "Czytaj więcej"],
};

/** Return the words in a language, such as `de-CH`; those in English for others. */
export function wordsOf(code) {
  const place = Math.max(0, LANGUAGES.indexOf(code.slice(0, 2).toLowerCase()));
  return Object.fromEntries(Object.entries(WORDS).map(([name, all]) => [name, all[place]]));
}
